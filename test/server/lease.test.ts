import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AnswerOf, Lease } from '@rolecall/api';
import { withData } from '../../server/data/open-data.ts';
import { extendLease, selectLease } from '../../server/store/lease.ts';
import { createKeys } from '../support/new-store.ts';
import { startTestService } from './support/service.ts';

const service = await startTestService();
const { write: other } = await createKeys(service.store, ['write']);
const json = { holder: 'a run', seconds: 60 };
const take = (holder = 'a run') => service.ok<Lease>('POST', '/lease', { json: { ...json, holder } });
const release = ({ id }: Lease) => service.ok('DELETE', `/lease/${id}`);
const codeOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as { code?: string }).code];

/** As when its holder has died, and time has passed. */
const endLease = () =>
  withData(service.store, ({ store }) =>
    store.write([], async (executor) => {
      const { id } = (await selectLease(executor))!;
      await extendLease(executor, id, '2026-01-01T00:00:00.000Z');
    }),
  );

async function entries(): Promise<string[]> {
  const all = await service.ok<AnswerOf<'listAuditEntries'>>('GET', '/audit');
  return all.flatMap(({ actor, operation, changes }) =>
    changes.flatMap(({ kind, name, action, after }) =>
      kind === 'lease' ? [`${actor.id} ${operation} ${action} ${name} ${JSON.stringify(after)}`] : [],
    ),
  );
}

describe('the lease on the workspace', () => {
  it('is held by one, and others are told by whom, since when and until when', async () => {
    const lease = await take('run 1');
    assert.equal(Date.parse(lease.expiresAt) - Date.parse(lease.takenAt) <= 60_100, true);
    const refused = await service.call('POST', '/lease', { json, key: other });
    assert.deepEqual(codeOf(refused), [409, 'lease_held']);
    const { detail } = refused.body as { detail: string };
    assert.equal(
      detail,
      `"run 1" holds the lease since ${lease.takenAt}, until ${lease.expiresAt} unless it is renewed`,
    );
    const { id: _hidden, ...shown } = lease;
    assert.deepEqual(await service.ok('GET', '/lease', { key: service.keys.read }), { lease: shown });
    await release(lease);
    assert.deepEqual(await service.ok('GET', '/lease'), { lease: null });
  });

  it('is renewed and released by the key that took it, and by no other', async () => {
    const lease = await take();
    const path = `/lease/${lease.id}`;
    for (const method of ['POST', 'DELETE']) {
      const sent = method === 'POST' ? { json: { seconds: 60 } } : {};
      assert.deepEqual(codeOf(await service.call(method, path, { ...sent, key: other })), [404, 'not_found']);
    }
    const renewed = await service.ok<Lease>('POST', path, { json: { seconds: 300 } });
    assert.deepEqual({ ...renewed, expiresAt: '' }, { ...lease, expiresAt: '' });
    assert.ok(Date.parse(renewed.expiresAt) > Date.parse(lease.expiresAt) + 200_000);
    await release(lease);
    assert.deepEqual(codeOf(await service.call('DELETE', path)), [404, 'not_found']);
  });

  it('ends by itself, and is taken over then; its former holder keeps it no longer', async () => {
    const dead = await take('a dead run');
    await endLease();
    assert.deepEqual(await service.ok('GET', '/lease'), { lease: null });
    const lease = await service.ok<Lease>('POST', '/lease', { json: { ...json, holder: 'the next run' }, key: other });
    const renewal = await service.call('POST', `/lease/${dead.id}`, { json: { seconds: 60 } });
    assert.deepEqual(codeOf(renewal), [404, 'not_found']);
    await service.ok('DELETE', `/lease/${lease.id}`, { key: other });
    assert.deepEqual((await entries()).slice(-3), [
      `${other.id} takeLease ended a dead run {"reason":"it had run out"}`,
      `${other.id} takeLease taken the next run {"holder":"the next run"}`,
      `${other.id} releaseLease ended the next run {"reason":"it was released"}`,
    ]);
  });

  it('goes on where its holder renews it late, and no one has taken it', async () => {
    const lease = await take();
    await endLease();
    await service.ok('POST', `/lease/${lease.id}`, { json: { seconds: 60 } });
    assert.equal((await service.call('POST', '/lease', { json, key: other })).status, 409);
    await release(lease);
  });

  it('cannot be taken with scope read, or for more than five minutes', async () => {
    const denied = await service.call('POST', '/lease', { json, key: service.keys.read });
    assert.deepEqual(codeOf(denied), [403, 'insufficient_scope']);
    for (const seconds of [4, 301, 1.5, '60']) {
      const wrong = await service.call('POST', '/lease', { json: { ...json, seconds } });
      assert.deepEqual(codeOf(wrong), [422, 'invalid_fields']);
    }
    for (const holder of ['', 'x'.repeat(201), 'two\nlines']) {
      const wrong = await service.call('POST', '/lease', { json: { ...json, holder } });
      assert.deepEqual(codeOf(wrong), [422, 'invalid_fields']);
    }
    assert.deepEqual(await service.ok('GET', '/lease'), { lease: null });
  });
});
