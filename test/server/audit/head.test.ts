import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { listAudit, makeCheckpoint, resumeAudit, startService, verifyAudit } from '@rolecall/server';
import { runCommand } from '../../cli/support/run-command.ts';
import { makers } from '../support/make.ts';
import { basic, startTestService, type TestService, temporaryFolder } from '../support/service.ts';
import { askStore } from '../support/stores.ts';

let service: TestService;

/** A service with a trail, for one test. */
async function begin(): Promise<void> {
  service = await startTestService();
  for (let count = 0; count < 5; count += 1) await makers(service).role();
}

const tell = (...statements: string[]) =>
  statements.reduce<Promise<unknown>>(
    (before, text) => before.then(() => askStore(service.store, text)),
    Promise.resolve(),
  );
const makeRole = () => service.call('POST', '/role', { form: { name: `role ${Math.random()}` } });
const rolesStored = async () => Number((await askStore(service.store, 'select count(*) as n from role'))[0]?.['n']);

async function refusesToWrite(): Promise<void> {
  const before = await rolesStored();
  const { status, body } = await makeRole();
  assert.equal(status, 503);
  assert.match((body as { type: string }).type, /audit_trail_broken$/);
  assert.equal(await rolesStored(), before);
  assert.equal((await service.call('GET', '/role')).status, 200, 'what only reads is answered');
}

const emptied = ['delete from audit_entry', `update audit_head set seq = 0, hash = '${'0'.repeat(64)}', mac = ''`];

describe('the service writes nothing behind an end of the trail that it has not sealed', () => {
  const changes: Record<string, string[]> = {
    'the trail emptied, and the head set to 0': emptied,
    'the last entry cut off': ['delete from audit_entry where seq = (select max(seq) from audit_entry)'],
    'the last entries cut off, and the head set back': [
      'delete from audit_entry where seq > 5',
      'update audit_head set seq = 5, hash = (select hash from audit_entry where seq = 5)',
    ],
    'the head set back to an entry, with the seal of that': [
      'delete from audit_entry where seq > 5',
      'update audit_head set seq = 5, hash = (select hash from audit_entry where seq = 5), mac = (select mac from audit_entry where seq = 5)',
    ],
    'another last entry': [
      `update audit_entry set hash = '${'a'.repeat(64)}' where seq = (select seq from audit_head)`,
    ],
    'an entry behind the end': [
      `insert into audit_entry (seq, content, hash) select seq + 1, '{}', hash from audit_head`,
    ],
  };
  for (const [what, statements] of Object.entries(changes)) {
    it(what, async () => {
      await begin();
      await tell(...statements);
      await refusesToWrite();
      await service.close();
      service = { ...service, ...(await restarted()) };
      await refusesToWrite();
    });
  }

  it('the store set back under its feet to an end that it had sealed before', async () => {
    await begin();
    const [head] = await askStore(service.store, 'select seq, hash, mac from audit_head');
    await makeRole();
    await makeRole();
    await tell(
      `delete from audit_entry where seq > ${String(head?.['seq'])}`,
      `update audit_head set seq = ${String(head?.['seq'])}, hash = '${String(head?.['hash'])}', mac = '${String(head?.['mac'])}'`,
    );
    await refusesToWrite();
  });

  it('and goes on once the trail was resumed, which an entry tells', async () => {
    await begin();
    await tell('delete from audit_entry where seq = 7', `delete from audit_entry where seq > 7`);
    await refusesToWrite();
    const found = await resumeAudit({ ...service.store, reason: 'an exercise' });
    assert.equal(found.broken?.seq, 7);
    assert.equal((await makeRole()).status, 200);
    const { broken, resumedAfter, entries } = await verifyAudit(service.store);
    assert.deepEqual([broken, resumedAfter, entries], [undefined, 6, 8]);
    const [entry] = (await listAudit({ ...service.store, query: { limit: 2 } })).slice(0, 1);
    assert.equal(entry?.operation, 'audit resume');
    assert.equal(entry.changes[0]?.after?.['reason'], 'an exercise');
    assert.match(JSON.stringify(entry.changes[0].after['broken']), /entry 7 is missing/);
  });
});

async function restarted() {
  const started = await startService({ ...service.store });
  after(() => started.close());
  const call: TestService['call'] = async (method, where, what) => {
    const headers = new Headers({ authorization: basic(service.keys.admin) });
    const body = what?.form === undefined ? null : new URLSearchParams(what.form);
    const answer = await fetch(`${started.url}/api/v2${where}`, { method, headers, body });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) as unknown };
  };
  return { ...started, call };
}

describe('a checkpoint', () => {
  it('finds a store that was set back as a whole, and a trail that another key has sealed', async () => {
    await begin();
    const { checkpoint } = await makeCheckpoint(service.store);
    assert.ok(checkpoint);
    await makeRole();
    assert.equal((await verifyAudit({ ...service.store, checkpoint })).broken, undefined);
    const behind = { seq: checkpoint.seq + 5, hash: checkpoint.hash };
    assert.equal((await verifyAudit({ ...service.store, checkpoint: behind })).broken?.seq, behind.seq);
    const other = { seq: checkpoint.seq, hash: 'b'.repeat(64) };
    assert.equal((await verifyAudit({ ...service.store, checkpoint: other })).broken?.seq, other.seq);
  });

  it('that was changed by its keeper is told from one that the trail does not have', async () => {
    await begin();
    const { checkpoint } = await makeCheckpoint(service.store);
    assert.ok(checkpoint);
    const changed = { ...checkpoint, seq: checkpoint.seq - 1 };
    await assert.rejects(verifyAudit({ ...service.store, checkpoint: changed }), /not one that this store has made/);
  });

  it('is printed by a command, and read by another', async () => {
    await begin();
    const { dataDir, databaseUrl, environment } = service.store;
    const where = dataDir === undefined ? ['--database-url', databaseUrl ?? ''] : ['--data', dataDir];
    const run = (...args: string[]) => runCommand(['audit', ...args, ...where], { env: { ...environment } });
    const { stdout, code } = await run('checkpoint');
    assert.equal(code, 0);
    assert.match(stdout, /^\d+ [0-9a-f]{64} [0-9a-f]{64}\n$/);
    const folder = await temporaryFolder();
    const file = path.join(folder, 'checkpoint');
    for (const text of [
      stdout,
      stdout.split(' ').slice(0, 2).join(' '),
      (await run('checkpoint', '--format', 'json')).stdout,
    ]) {
      writeFileSync(file, text);
      const verified = await run('verify', '--checkpoint', file);
      assert.equal(verified.code, 0, verified.stdout + verified.stderr);
      assert.match(verified.stdout, /matches the checkpoint/);
    }
    writeFileSync(file, 'nothing of the kind');
    const refused = await run('verify', '--checkpoint', file);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /is not a checkpoint/);
    await tell(...emptied);
    assert.equal((await run('checkpoint')).code, 1, 'a broken trail has no checkpoint');
  });
});
