import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Guard } from '../../../server/databases/guard/index.ts';
import { parseAtServer, serialiseAtServer } from '../../../server/gateway/at-server.ts';
import { SessionsLeftBehind } from '../../../server/gateway/left-behind.ts';
import type { Seal } from '../../../server/secrets/seal.ts';
import type { Store } from '../../../server/store/store.ts';
import { stopTime } from '../../support/mocked-time.ts';

/** A store in which the lease of a process is over, and whoever watches it. */
function watched(test: TestContext) {
  const pass = stopTime(test);
  const readyAt = Date.now() - 60_000;
  const row = (id: string, dataSource: string, address: string) => ({
    ...{ id, process: 'p1', dataSource, sealedUri: Buffer.from('postgresql://app@db/shop') },
    atServer: serialiseAtServer({ processId: 4711, address }, readyAt),
  });
  const state = {
    rows: [row('s1', 'd1', '192.0.2.1'), row('s2', 'd1', '192.0.2.1'), row('s3', 'd1', '192.0.2.2')],
    isAway: false,
    takesWrites: true,
    isUnreachable: false,
    errors: [] as string[],
  };
  const ended: string[][] = [];
  const executor = { now: () => new Date(), all: () => state.rows };
  const ask = async (may: boolean, work: (with_: never) => Promise<unknown>): Promise<unknown> => {
    if (state.isAway || !may) throw new Error('the store is away');
    return work(executor as never);
  };
  const store = {
    read: (work: (with_: never) => Promise<unknown>) => ask(true, work),
    write: (_changes: unknown, work: (with_: never) => Promise<unknown>) => ask(state.takesWrites, work),
  } as unknown as Store;
  const sessions = new SessionsLeftBehind({
    store,
    seal: { open: (sealed: Uint8Array) => Buffer.from(sealed).toString() } as unknown as Seal,
    guard: {} as Guard,
    onError: (error) => state.errors.push(String(error)),
    end: (_uri, address, left) => {
      if (state.isUnreachable) return Promise.reject(new Error('unreachable'));
      ended.push([address, ...left.map(({ processId, ageMs }) => `${processId} ${Math.round(ageMs / 60_000)} min`)]);
      // They are deleted then.
      state.rows = state.rows.filter(({ atServer }) => parseAtServer(atServer).address !== address);
      return Promise.resolve();
    },
  });
  test.after(() => sessions.close());
  return { pass, state, ended };
}

describe('sessions at servers whose gateway has died', () => {
  it('are ended once the lease has stayed over for some seconds, those of one server together', async (test) => {
    const { pass, ended } = watched(test);
    await pass(3000);
    assert.deepEqual(ended, []);
    await pass(2000);
    assert.deepEqual(ended, [
      ['192.0.2.1', '4711 1 min', '4711 1 min'],
      ['192.0.2.2', '4711 1 min'],
    ]);
    await pass(10_000);
    assert.equal(ended.length, 2);
  });

  for (const what of ['is away', 'takes no writes'] as const) {
    it(`are left alone while the store ${what}, and until a process had time to renew its lease`, async (test) => {
      const { pass, state, ended } = watched(test);
      const set = (isOut: boolean): void => {
        if (what === 'is away') state.isAway = isOut;
        else state.takesWrites = !isOut;
      };
      await pass(3000);
      set(true);
      await pass(60_000);
      assert.deepEqual(ended, []);
      assert.equal(state.errors.length, 1, 'it says so once');
      set(false);
      await pass(2500);
      assert.deepEqual(ended, []);
      // It renews its lease.
      state.rows = [];
      await pass(60_000);
      assert.deepEqual(ended, []);
    });
  }

  it('are tried again after longer and longer pauses while their server is out of reach', async (test) => {
    const { pass, state, ended } = watched(test);
    state.isUnreachable = true;
    await pass(60_000);
    assert.ok(state.errors.length >= 4 && state.errors.length <= 10, `${state.errors.length} attempts`);
    state.isUnreachable = false;
    await pass(61_000);
    assert.equal(ended.length, 2);
  });
});
