import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withData } from '../../../server/data/open-data.ts';
import { Sessions } from '../../../server/sign-in/sessions.ts';
import type { SessionState } from '../../../server/store/person-session.ts';
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
  ) => Promise<T>,
): Promise<T> {
  const person = (await make.person()).id;
  return withData(service.store, ({ store, seal, keys }) => {
    let later = 0;
    const clock = new StoreClock();
    clock.now = () => Date.now() + later;
    const lengths = { idle: 60, whole: 600 };
    const follow = () => keys.follow();
    const sessions = new Sessions({ store, seal, clock, lengths, follow, onError: () => undefined });
    const open = async (state: SessionState = 'whole') =>
      (await store.write([], (executor) => sessions.open(executor, { person, ...opening, state }))).token;
    return work(sessions, open, (ms) => {
      later += ms;
    });
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

  it('ends after its time in all, however it is used', async () => {
    await withSessions(async (sessions, open, advance) => {
      const token = await open();
      advance(570_000);
      // As if it had been used all the time.
      await withData(service.store, ({ store }) =>
        store.write([], async ({ db }) => {
          const at = new Date(Date.now() + 570_000).toISOString();
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
