/** Over the embedded store only: it tampers with copies of its file. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { createKey, resumeAudit, verifyAudit } from '@rolecall/server';
import { makers } from '../support/make.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);
for (let count = 0; count < 20; count += 1) await make.role();
await service.close();
const whole = await verifyAudit({ dataDir: service.dataDir, environment: {} });

type Row = { seq: number; content: string; hash: string; mac: string | null };

/** Does something to a copy of the store behind the service's back, and checks the trail. */
async function tamper(work: (database: DatabaseSync, rows: Row[]) => void) {
  const dataDir = await temporaryFolder();
  await cp(service.dataDir, dataDir, { recursive: true });
  const database = new DatabaseSync(path.join(dataDir, 'rolecall.db'));
  work(database, database.prepare('SELECT * FROM audit_entry ORDER BY seq').all() as unknown as Row[]);
  database.close();
  return verifyAudit({ dataDir, environment: {} });
}

/** What the chain's own rule gives, which is no secret. */
function rewrite(database: DatabaseSync, rows: Row[], change: (row: Row) => Row): void {
  let previous = '0'.repeat(64);
  database.exec('DELETE FROM audit_entry');
  for (const row of rows.map(change)) {
    previous = hash('sha256', `${previous}\n${row.content}`, 'hex');
    database.prepare('INSERT INTO audit_entry VALUES (?, ?, ?, ?)').run(row.seq, row.content, previous, row.mac);
  }
  database.prepare('UPDATE audit_head SET seq = ?, hash = ?').run(rows.at(-1)?.seq ?? 0, previous);
}

const edit = ({ content, ...row }: Row): Row => ({ ...row, content: content.replace('api_key', 'service') });

describe('a trail', () => {
  it('that was not changed is whole', () => {
    assert.equal(whole.broken, undefined);
    assert.equal(whole.entries, 24, 'the store, three keys and twenty roles');
  });

  it('names the entry that was edited', async () => {
    const { broken, entries } = await tamper((database, rows) => {
      database.prepare('UPDATE audit_entry SET content = ? WHERE seq = 10').run(edit(rows[9] as Row).content);
    });
    assert.equal(broken?.seq, 10);
    assert.match(broken.problem, /was changed/);
    assert.equal(entries, 9);
  });

  it('names the entry that was edited with its hash', async () => {
    const { broken } = await tamper((database, rows) => {
      const { content } = edit(rows[9] as Row);
      const own = hash('sha256', `${rows[8]?.hash ?? ''}\n${content}`, 'hex');
      database.prepare('UPDATE audit_entry SET content = ?, hash = ? WHERE seq = 10').run(content, own);
    });
    assert.equal(broken?.seq, 10);
    assert.match(broken.problem, /not sealed with the key of the store/);
  });

  it('names the entry that was taken out', async () => {
    const { broken } = await tamper((database) => {
      database.exec('DELETE FROM audit_entry WHERE seq = 10');
    });
    assert.deepEqual(broken, { seq: 10, problem: 'is missing: entry 9 is followed by entry 11' });
  });

  it('knows that the first entries were taken out', async () => {
    const { broken } = await tamper((database) => {
      database.exec('DELETE FROM audit_entry WHERE seq < 5');
    });
    assert.equal(broken?.seq, 1);
  });

  it('knows that two entries changed places', async () => {
    const { broken } = await tamper((database) => {
      database.exec(`UPDATE audit_entry SET seq = -1 WHERE seq = 10; UPDATE audit_entry SET seq = 10 WHERE seq = 11;
        UPDATE audit_entry SET seq = 11 WHERE seq = -1`);
    });
    assert.equal(broken?.seq, 10);
  });

  it('knows that an entry was put in', async () => {
    const { broken } = await tamper((database, rows) =>
      database
        .prepare('INSERT INTO audit_entry (seq, content, hash) VALUES (25, ?, ?)')
        .run(rows[9]?.content ?? '', hash('sha256', `${rows[23]?.hash ?? ''}\n${rows[9]?.content ?? ''}`, 'hex')),
    );
    assert.equal(broken?.seq, 25);
  });

  it('knows that its end was cut off', async () => {
    const { broken } = await tamper((database) => {
      database.exec('DELETE FROM audit_entry WHERE seq > 20');
    });
    assert.deepEqual(broken, { seq: 21, problem: 'is missing: the trail went on to entry 24' });
  });

  it('knows that its end was cut off with the head set back', async () => {
    const { broken } = await tamper((database, rows) => {
      database.exec('DELETE FROM audit_entry WHERE seq > 20');
      database.prepare('UPDATE audit_head SET seq = 20, hash = ?').run(rows[19]?.hash ?? '');
    });
    assert.equal(broken?.seq, 20);
    assert.match(broken.problem, /not the end that the service has sealed/);
  });

  it('detects a complete rewrite without the key of the store', async () => {
    const { broken } = await tamper((database, rows) => {
      rewrite(database, rows, (row) => (row.seq === 10 ? edit(row) : row));
    });
    assert.equal(broken?.seq, 10);
    assert.match(broken.problem, /not sealed with the key of the store/);
  });

  it('knows that the end was written anew, entries without their seals and a head that fits them', async () => {
    const { broken } = await tamper((database, rows) => {
      rewrite(database, rows, (row) => (row.seq < 20 ? row : { ...edit(row), mac: null }));
    });
    assert.equal(broken?.seq, 20);
  });

  it('knows that it was emptied, the head set back to the beginning', async () => {
    const { broken } = await tamper((database) => {
      database.exec(`DELETE FROM audit_entry; UPDATE audit_head SET seq = 0, hash = '${'0'.repeat(64)}', mac = ''`);
    });
    assert.deepEqual(broken, { seq: 1, problem: 'is missing: the trail was emptied, and its end set back' });
  });

  it('knows that it was emptied, and how far it went', async () => {
    const { broken } = await tamper((database) => {
      database.exec('DELETE FROM audit_entry');
    });
    assert.deepEqual(broken, { seq: 1, problem: 'is missing: the trail was emptied; it went on to entry 24' });
  });

  it('knows that its end was deleted, with its entries or without', async () => {
    const emptied = await tamper((database) => {
      database.exec('DELETE FROM audit_entry; DELETE FROM audit_head');
    });
    assert.deepEqual(emptied.broken, { seq: 1, problem: 'is missing: the trail was emptied, and its end deleted' });
    const endless = await tamper((database) => {
      database.exec('DELETE FROM audit_head');
    });
    assert.deepEqual(endless.broken, { seq: 25, problem: 'may be missing: the end of the trail was deleted' });
  });

  it('that was emptied and resumed says so, and knows that it was emptied once more', async () => {
    const dataDir = await temporaryFolder();
    await cp(service.dataDir, dataDir, { recursive: true });
    const where = { dataDir, environment: {} };
    const change = (sql: string): void => {
      const database = new DatabaseSync(path.join(dataDir, 'rolecall.db'));
      database.exec(sql);
      database.close();
    };
    change('DELETE FROM audit_entry; DELETE FROM audit_head');
    await resumeAudit({ ...where, reason: 'a trial' });
    const { broken, entries, resumedAfter } = await verifyAudit(where);
    assert.deepEqual([broken, entries, resumedAfter], [undefined, 1, 0]);
    await createKey({ ...where, scope: 'read' });
    await resumeAudit({ ...where, reason: 'another one' });
    const copy = new DatabaseSync(path.join(dataDir, 'rolecall.db'));
    const [last] = copy.prepare('SELECT seq FROM audit_entry ORDER BY seq DESC LIMIT 1').all();
    copy.close();
    assert.equal(last?.['seq'], 3);
    change('DELETE FROM audit_entry');
    assert.deepEqual((await verifyAudit(where)).broken, {
      seq: 3,
      problem: 'is missing: the trail was emptied behind entry 2, where it was resumed; it went on to entry 3',
    });
  });

  it('does not take the seal of an entry for that of the end', async () => {
    const { broken } = await tamper((database, rows) => {
      database.exec('DELETE FROM audit_entry WHERE seq > 20');
      const { hash: last = '', mac = '' } = rows[19] ?? {};
      database.prepare('UPDATE audit_head SET seq = 20, hash = ?, mac = ?').run(last, mac);
    });
    assert.equal(broken?.seq, 20);
  });
});
