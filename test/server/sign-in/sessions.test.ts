import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withData } from '../../../server/data/open-data.ts';
import { Sessions } from '../../../server/sign-in/sessions.ts';
import { StoreUnavailableError } from '../../../server/store/errors.ts';
import type { SessionState } from '../../../server/store/person-session.ts';
import type { Store } from '../../../server/store/store.ts';
import { StoreClock } from '../../../server/store-clock.ts';
import { makers } from '../support/make.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);
const opening = { kind: 'browser', factors: ['passkey'], address: '192.0.2.7', client: '' } as const;

/** Runs work with sessions of one minute without a request and ten minutes in all, and a clock that the work sets. */
async function withSessions<T>(
  work: (
    sessions: Sessions,
    open: (state?: SessionState) => Promise<string>,
    advance: (ms: number) => void,
    more: { store: Store; writes: () => number },
  ) => Promise<T>,
): Promise<T> {
  const person = (await make.person()).id;
  return withData(service.store, ({ store: opened, seal, keys }) => {
    let [later, writes] = [0, 0];
    const store: Store = {
      ...opened,
      read: opened.read.bind(opened),
      write: (...given) => {
        writes += 1;
        return opened.write(...given);
      },
    };
    const clock = new StoreClock();
    const begun = Date.now();
    clock.now = () => begun + later;
    const lengths = { idle: 60, whole: 600 };
    const follow = () => keys.follow();
    const sessions = new Sessions({ store, seal, clock, lengths, follow });
    const open = async (state: SessionState = 'whole') =>
      (await store.write([], (executor) => sessions.open(executor, { person, ...opening, state }))).token;
    const advance = (ms: number): void => {
      later += ms;
    };
    return work(sessions, open, advance, { store, writes: () => writes });
  });
}

describe('a session', () => {
  it('ends after its time without a request', async () => {
    await withSessions(async (sessions, open, advance) => {
      const token = await open();
      advance(30_000);
      assert.notEqual(await sessions.find(token), undefined);
      advance(31_000);
      assert.equal(await sessions.find(token), undefined);
    });
  });

  it('lives on for as long as it is used, and then for its time without a request', async () => {
    await withSessions(async (sessions, open, advance) => {
      const token = await open();
      for (let second = 0; second < 300; second += 3) {
        advance(3000);
        assert.notEqual(await sessions.find(token), undefined, `after ${second} seconds`);
        await sessions.saveUse();
      }
      advance(59_999);
      assert.notEqual(await sessions.find(token), undefined);
      // A use at the last moment counts at once.
      advance(1);
      assert.notEqual(await sessions.find(token), undefined);
      advance(59_998);
      assert.notEqual(await sessions.find(token), undefined);
      advance(60_000);
      assert.equal(await sessions.find(token), undefined);
    });
  });

  it('is written with all others once for any number of requests, and not at all without one', async () => {
    await withSessions(async (sessions, open, advance, { writes }) => {
      const tokens = [await open(), await open(), await open()];
      const opened = writes();
      advance(1000);
      for (let round = 0; round < 20; round += 1) for (const token of tokens) await sessions.find(token);
      assert.equal(writes(), opened);
      await sessions.saveUse();
      await sessions.saveUse();
      assert.equal(writes(), opened + 1);
      advance(59_999);
      for (const token of tokens) assert.notEqual(await sessions.find(token), undefined);
    });
  });

  it('keeps the use that could not be written for the next time', async (context) => {
    await withSessions(async (sessions, open, advance, { store }) => {
      const token = await open();
      advance(50_000);
      await sessions.find(token);
      context.mock.method(store, 'write', () => Promise.reject(new StoreUnavailableError('away')), { times: 1 });
      await assert.rejects(sessions.saveUse(), StoreUnavailableError);
      await sessions.saveUse();
      advance(50_000);
      assert.notEqual(await sessions.find(token), undefined);
    });
  });

  it('ends after its time in all, however it is used', async () => {
    await withSessions(async (sessions, open, advance) => {
      const token = await open();
      advance(570_000);
      // As if it had been used all the time.
      await withData(service.store, ({ store }) =>
        store.write([], async ({ db }) => {
          const at = new Date(Date.now() + 600_000).toISOString();
          await db.updateTable('person_session').set({ last_used_at: at }).execute();
        }),
      );
      assert.notEqual(await sessions.find(token), undefined);
      advance(31_000);
      assert.equal(await sessions.find(token), undefined);
    });
  });

  it('is not ended by sign-ins that lack the second factor, of which the oldest make room too', async () => {
    await withSessions(async (sessions, open, advance) => {
      const whole = await open();
      const pending = [];
      for (let count = 0; count < 101; count += 1) {
        advance(1);
        pending.push(await open('pending'));
      }
      assert.notEqual(await sessions.find(whole), undefined);
      assert.equal(await sessions.find(pending[0] ?? ''), undefined);
      assert.notEqual(await sessions.find(pending[1] ?? ''), undefined);
    });
  });

  it('ends the oldest of a person who has a hundred', async () => {
    await withSessions(async (sessions, open, advance) => {
      const tokens = [];
      for (let count = 0; count < 101; count += 1) {
        tokens.push(await open());
        advance(1);
      }
      assert.equal(await sessions.find(tokens[0] ?? ''), undefined);
      assert.notEqual(await sessions.find(tokens[1] ?? ''), undefined);
      assert.notEqual(await sessions.find(tokens[100] ?? ''), undefined);
    });
  });
});
