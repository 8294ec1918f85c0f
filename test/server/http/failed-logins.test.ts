import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createKey, type ListedEntry, listAudit, revokeKey } from '@rolecall/server';
import type { EntryDraft } from '../../../server/audit/entry.ts';
import { FailedLogins } from '../../../server/http/failed-logins.ts';
import type { Store } from '../../../server/store/store.ts';
import { startTestService } from '../support/service.ts';

type Row = [address: string, keyId: string, reason: unknown, count: unknown];

const rowOf = ({ actor, changes }: EntryDraft): Row => [
  actor.id,
  String(changes[0]?.id),
  changes[0]?.after?.['reason'],
  changes[0]?.after?.['count'],
];
const failures = (entries: readonly ListedEntry[]) => entries.filter(({ operation }) => operation === 'authenticate');

/** A store that keeps what is recorded, and cannot be written while it is full. */
function collectingStore() {
  const state = { entries: [] as EntryDraft[], writes: 0, full: false };
  const store: Pick<Store, 'write'> = {
    write: async (_changes, work) => {
      state.writes += 1;
      if (state.full) throw new Error('full');
      return work({} as never, (entry) => {
        state.entries.push(entry);
      });
    },
  };
  return {
    state,
    logins: new FailedLogins(
      store as Store,
      () => new Date(),
      () => undefined,
    ),
  };
}

describe('failed log-ins', () => {
  it('are in the trail with address, key, reason and count once the service has ended, and no secret is', async () => {
    const limits = { maxGuesses: { address: 1000, key: 3 } };
    const service = await startTestService({ limits });
    const { admin } = service.keys;
    const revoked = await createKey({ ...service.store, scope: 'read' });
    await revokeKey({ ...service.store, id: revoked.id });
    const call = (key: { id: string; secret: string }) => service.call('GET', '/role', { key });
    for (let count = 0; count < 5; count += 1) await call({ id: admin.id, secret: 'wr0ng-secret' });
    await call(revoked);
    await call({ id: admin.secret, secret: admin.id });
    await service.call('GET', '/role', { key: null, headers: { authorization: 'Bearer t0ken-of-another' } });
    await service.call('GET', '/role', { key: null });
    // Names are counted one by one: a long one would take memory.
    await call({ id: 'x'.repeat(101), secret: 'y' });
    await service.close();
    const found = failures(await listAudit({ ...service.store, query: { limit: 100 } }));
    assert.deepEqual(
      found.map(rowOf).sort(),
      [
        ['127.0.0.1', 'unknown', 'malformed header', 2],
        ['127.0.0.1', 'unknown', 'too many attempts', 2],
        ['127.0.0.1', 'unknown', 'unknown key', 1],
        ['127.0.0.1', admin.id, 'wrong secret', 3],
        ['127.0.0.1', revoked.id, 'revoked key', 1],
      ].sort(),
    );
    assert.ok(found.every(({ actor }) => actor.type === 'anonymous'));
    const text = JSON.stringify(found);
    for (const secret of ['wr0ng-secret', admin.secret, revoked.secret, 't0ken']) assert.ok(!text.includes(secret));
  });

  it('1,000 of one address with as many key ids are one entry', async () => {
    const limits = { maxGuesses: { address: 100_000, key: 100_000 } };
    const service = await startTestService({ limits });
    const before = (await listAudit({ ...service.store, query: { limit: 1000 } })).length;
    const one = async (index: number) => {
      const key = { id: `k${String(index).padStart(11, '0')}`, secret: 'x' };
      assert.equal((await service.call('GET', '/role', { key })).status, 401);
    };
    for (let at = 0; at < 1000; at += 50) await Promise.all(Array.from({ length: 50 }, (_, index) => one(at + index)));
    await service.close();
    const entries = await listAudit({ ...service.store, query: { limit: 1000 } });
    const counted = failures(entries).map(({ changes }) => Number(changes[0]?.after?.['count']));
    assert.equal(
      counted.reduce((sum, count) => sum + count, 0),
      1000,
    );
    assert.ok(entries.length - before <= 3, `${entries.length - before} entries: one a minute`);
  });

  it('of many addresses are few entries, and no network hides another one', async () => {
    const { state, logins } = collectingStore();
    for (let index = 0; index < 5000; index += 1) logins.note(`2001:db8::${index.toString(16)}`, 'unknown key');
    logins.note('192.0.2.7', 'wrong secret', 'k3Jf9sWqL0aZ');
    await logins.write();
    assert.equal(state.entries.length, 12);
    assert.deepEqual(rowOf(state.entries.at(-1)!), ['192.0.2.7', 'k3Jf9sWqL0aZ', 'wrong secret', 1]);
    assert.deepEqual(rowOf(state.entries.at(-2)!), ['network 2001:db8:0:0', 'unknown', 'unknown key', 4990]);
    state.entries.length = 0;
    for (let index = 0; index < 5000; index += 1) logins.note(`10.${index >> 8}.${index & 255}.1`, 'unknown key');
    await logins.write();
    assert.equal(state.entries.length, 101);
    const counted = state.entries.reduce((sum, entry) => sum + Number(rowOf(entry)[3]), 0);
    assert.equal(counted, 5000);
    assert.equal(state.writes, 2, 'one write for all of them');
    await logins.stop();
  });

  it('are counted on while the store cannot be written, and none is lost', async () => {
    const { state, logins } = collectingStore();
    logins.note('192.0.2.7', 'unknown key');
    state.full = true;
    const failing = logins.write();
    logins.note('192.0.2.7', 'unknown key');
    await assert.rejects(failing, /full/);
    logins.note('192.0.2.7', 'unknown key');
    state.full = false;
    await logins.stop();
    assert.deepEqual(state.entries.map(rowOf), [['192.0.2.7', 'unknown', 'unknown key', 3]]);
  });

  it('show no address that is none', async () => {
    const { state, logins } = collectingStore();
    logins.note('<script>', 'unknown key');
    await logins.stop();
    assert.equal(state.entries[0]?.actor.id, 'unknown address');
  });
});
