import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DisconnectedError } from '../../../operator/runtime/errors.ts';
import {
  becomeLeader,
  type LeaderElectionOptions,
  type Leadership,
} from '../../../operator/runtime/leader-election.ts';
import type { KubeRequest } from '../../../operator/runtime/session.ts';
import { type FakeClock, fakeClock, settle } from '../support/fake-clock.ts';
import { leaseServer } from '../support/lease-server.ts';

function setUp() {
  const clock = fakeClock();
  const server = leaseServer();
  const end = new AbortController();
  const candidate = (identity: string, more: Partial<LeaderElectionOptions> = {}) => {
    const errors: Error[] = [];
    const state: { leadership: Leadership | undefined; errors: Error[] } = { leadership: undefined, errors };
    const options: LeaderElectionOptions = {
      session: server.session(),
      clock,
      random: () => 0.5,
      namespace: 'rolecall',
      name: 'rolecall-operator',
      identity,
      onError: (error) => errors.push(error),
      ...more,
    };
    void becomeLeader(options, end.signal).then((leadership) => {
      state.leadership = leadership;
    });
    return state;
  };
  return { clock, server, candidate, end };
}

/** Lets time pass in steps, and says after how much of it something held. */
async function waitFor(clock: FakeClock, holds: () => boolean, mostMs: number): Promise<number> {
  for (let passed = 0; passed <= mostMs; passed += 100) {
    if (holds()) return passed;
    await clock.advance(100);
    await settle();
  }
  throw new Error(`it did not come about within ${mostMs} ms`);
}

describe('leader election', () => {
  it('has one leader of several that start together', async () => {
    const { clock, candidate } = setUp();
    const all = ['a', 'b', 'c'].map((name) => candidate(name));
    await clock.advance(60_000);
    assert.equal(all.filter(({ leadership }) => leadership !== undefined).length, 1);
    assert.deepEqual(
      all.flatMap(({ errors }) => errors),
      [],
    );
  });

  it('writes times with six digits, and counts who had the Lease', async () => {
    const { clock, server, candidate } = setUp();
    const first = candidate('a');
    await clock.advance(0);
    assert.match(server.lease()?.spec.renewTime ?? '', /\.\d{6}Z$/);
    assert.equal(server.lease()?.spec.leaseTransitions, 0);
    await first.leadership?.release();
    candidate('b');
    await clock.advance(0);
    assert.equal(server.lease()?.spec.leaseTransitions, 1);
  });

  it('takes a Lease that no one holds in two requests, without a watch', async () => {
    const { clock, server, candidate } = setUp();
    const { request, watch } = server.session();
    const requests: string[] = [];
    const counted = candidate('a', {
      session: {
        request: (asked) => {
          requests.push(asked.method);
          return request(asked);
        },
        watch: (path, onEvent, signal) => {
          requests.push('watch');
          return watch(path, onEvent, signal);
        },
      },
    });
    await clock.advance(0);
    assert.notEqual(counted.leadership, undefined);
    assert.deepEqual(requests, ['GET', 'POST']);
  });

  it('sees a release that comes before its watch of the Lease begins', async () => {
    const { clock, server, candidate } = setUp();
    const first = candidate('a');
    await clock.advance(0);
    const { request, watch } = server.session();
    const second = candidate('b', {
      session: {
        request,
        watch: async (path, onEvent, signal) => {
          await first.leadership?.release();
          return watch(path, onEvent, signal);
        },
      },
    });
    assert.ok((await waitFor(clock, () => second.leadership !== undefined, 15_000)) <= 100);
  });

  it('passes on at once when the leader ends in order', async () => {
    const { clock, candidate } = setUp();
    const first = candidate('a');
    await clock.advance(0);
    const second = candidate('b');
    await clock.advance(10_000);
    assert.equal(second.leadership, undefined);
    await first.leadership?.release();
    assert.ok((await waitFor(clock, () => second.leadership !== undefined, 15_000)) <= 100);
  });

  it('tells who waits for whom, once of each that leads', async () => {
    const { clock, candidate } = setUp();
    const seen: string[] = [];
    const onWaiting = (leader: string) => seen.push(leader);
    const first = candidate('a', { onWaiting });
    await clock.advance(60_000);
    assert.deepEqual(seen, [], 'who leads waits for no one');
    const second = candidate('b');
    await clock.advance(3_000);
    candidate('c', { onWaiting });
    await clock.advance(60_000);
    assert.deepEqual(seen, ['a']);
    await first.leadership?.release();
    await waitFor(clock, () => second.leadership !== undefined, 15_000);
    await clock.advance(10_000);
    assert.deepEqual(seen, ['a', 'b']);
  });

  it('tells who leads next what it had seen, and tells it once', async () => {
    const { clock, server, candidate } = setUp();
    const first = candidate('a');
    await clock.advance(0);
    assert.equal(first.leadership?.handover, undefined);
    const second = candidate('b');
    await clock.advance(1_000);
    await first.leadership?.release({ Person: '42' });
    await waitFor(clock, () => second.leadership !== undefined, 15_000);
    assert.deepEqual(second.leadership?.handover, { Person: '42' });
    // What follows is for no one to rely on: the second one says nothing when it goes.
    assert.equal(server.lease()?.metadata.annotations, undefined);
    const third = candidate('c');
    await clock.advance(1_000);
    await second.leadership.release();
    await waitFor(clock, () => third.leadership !== undefined, 15_000);
    assert.equal(third.leadership?.handover, undefined);
  });

  it('tells who waits as soon as a killed leader has stopped writing by its own rules, before the Lease runs out', async () => {
    const { clock, server, candidate } = setUp();
    let isDead = false;
    const session = server.session({ fail: () => (isDead ? new DisconnectedError('killed') : undefined) });
    const first = candidate('a', { session });
    await clock.advance(0);
    assert.equal(first.leadership?.isAfterSilence, false);
    let silences = 0;
    const second = candidate('b', { onSilence: () => (silences += 1) });
    await clock.advance(30_000);
    assert.equal(silences, 0, 'a leader that renews is not silent');
    isDead = true;
    await clock.advance(9_900);
    assert.equal(silences, 0, 'it may still write');
    await clock.advance(2_200);
    assert.deepEqual([silences, second.leadership], [1, undefined]);
    await clock.advance(3_500);
    assert.deepEqual([silences, second.leadership?.isAfterSilence], [1, true]);
  });

  it('does not call it silence any more once the Lease was changed after it', async () => {
    const { clock, server, candidate } = setUp();
    let isDead = false;
    const session = server.session({ fail: () => (isDead ? new DisconnectedError('killed') : undefined) });
    candidate('a', { session });
    await clock.advance(0);
    isDead = true;
    let silences = 0;
    const second = candidate('b', { onSilence: () => (silences += 1) });
    await clock.advance(13_000);
    assert.equal(silences, 1);
    const writes = async (spec: object) => {
      const body = { ...server.lease(), spec: { ...server.lease()?.spec, ...spec } };
      await server.session().request({ method: 'PUT', path: '', body });
    };
    // Someone was there after all, and may have written more than a Lease.
    await writes({ renewTime: '2026-12-01T00:00:13.000000Z' });
    await clock.advance(100);
    await writes({ holderIdentity: '', leaseDurationSeconds: 1 });
    await waitFor(clock, () => second.leadership !== undefined, 15_000);
    assert.deepEqual([silences, second.leadership?.isAfterSilence], [1, false]);
  });

  it('gives the Lease back though a renewal is under way, which the server has taken and whose answer is not waited for', async () => {
    const { clock, server, candidate } = setUp();
    const plain = server.session();
    let isUnderWay = false;
    const session: typeof plain = {
      ...plain,
      request: async (request) => {
        const answer = await plain.request({ ...request, signal: undefined });
        if (!isUnderWay || request.method !== 'PUT') return answer;
        isUnderWay = false;
        const cut = Promise.withResolvers<never>();
        request.signal?.addEventListener('abort', () => {
          cut.reject(new DisconnectedError('cut'));
        });
        return cut.promise;
      },
    };
    const first = candidate('a', { session });
    await clock.advance(0);
    isUnderWay = true;
    await clock.advance(2_500);
    assert.equal(isUnderWay, false);
    await first.leadership?.release();
    assert.equal(server.lease()?.spec.holderIdentity, '');
  });

  it('passes on when the Lease of a killed leader is over, by the clock of who waits', async () => {
    const { clock, server, candidate } = setUp();
    let isDead = false;
    const session = server.session({ fail: () => (isDead ? new DisconnectedError('killed') : undefined) });
    candidate('a', { session });
    await clock.advance(0);
    // Whatever the time of day is where the leader is: only what is seen here counts.
    clock.setDay(Date.UTC(2040, 0, 1));
    const second = candidate('b');
    await clock.advance(20_000);
    assert.equal(second.leadership, undefined, 'a leader that renews keeps the Lease');
    isDead = true;
    const took = await waitFor(clock, () => second.leadership !== undefined, 60_000);
    // The last renewal was seen up to a retry period ago; a tenth of one more at random.
    assert.ok(took >= 12_900 && took <= 15_300, `taken over after ${took} ms`);
  });

  it('stops leading before anybody else can begin, when it cannot renew', async () => {
    const { clock, server, candidate } = setUp();
    let isCut = false;
    const session = server.session({ fail: () => (isCut ? new DisconnectedError('cut') : undefined) });
    const first = candidate('a', { session });
    await clock.advance(0);
    const second = candidate('b');
    await clock.advance(5_000);
    isCut = true;
    let stoppedAt = 0;
    first.leadership?.signal.addEventListener('abort', () => (stoppedAt = clock.elapsed()));
    await waitFor(clock, () => second.leadership !== undefined, 60_000);
    assert.ok(stoppedAt > 0, 'it never stopped');
    assert.ok(clock.elapsed() - stoppedAt >= 2_000, `only ${clock.elapsed() - stoppedAt} ms lay between the two`);
  });

  it('stops leading in time when the server does not answer at all', async () => {
    const { clock, server, candidate } = setUp();
    let isSilent = false;
    const session = server.session({ fail: () => (isSilent ? new Promise<never>(() => undefined) : undefined) });
    const first = candidate('a', { session });
    await clock.advance(0);
    isSilent = true;
    const took = await waitFor(clock, () => first.leadership?.signal.aborted === true, 30_000);
    assert.ok(took <= 10_000, `it led on for ${took} ms`);
  });

  it('counts the deadline from when a renewal was sent, not from its answer', async () => {
    const { clock, server, candidate } = setUp();
    let delayed: PromiseWithResolvers<never> | undefined;
    let isSlow = false;
    const fail = ({ method }: KubeRequest) => {
      if (!isSlow || method !== 'PUT') return undefined;
      isSlow = false;
      delayed = Promise.withResolvers<never>();
      return delayed.promise;
    };
    const first = candidate('a', { session: server.session({ fail }) });
    await clock.advance(0);
    isSlow = true;
    await clock.advance(2_000);
    assert.ok(delayed !== undefined);
    await clock.advance(7_000);
    // The answer comes 7 s late; without another renewal, 3 s are left of the 10.
    isSlow = true;
    delayed.resolve(undefined as never);
    const took = await waitFor(clock, () => first.leadership?.signal.aborted === true, 30_000);
    assert.ok(took <= 3_200, `it led on for ${took} ms`);
  });

  it('stops leading when another process holds the Lease after all', async () => {
    const { clock, server, candidate } = setUp();
    const first = candidate('a');
    await clock.advance(0);
    const lease = server.lease()!;
    const spec = { ...lease.spec, holderIdentity: 'thief' };
    await server.session().request({ method: 'PUT', path: '', body: { ...lease, spec } });
    await waitFor(clock, () => first.leadership?.signal.aborted === true, 4_000);
    assert.equal(server.holders().at(-1), 'thief');
  });

  it('goes on leading through refusals that end in time', async () => {
    const { clock, server, candidate } = setUp();
    let calls = 0;
    let isFlaky = false;
    // One renewal of four goes through: one in 8 s, where 10 are the deadline.
    const fail = () => (isFlaky && calls++ % 4 !== 3 ? new DisconnectedError('cut') : undefined);
    const first = candidate('a', { session: server.session({ fail }) });
    await clock.advance(0);
    isFlaky = true;
    await clock.advance(10 * 60_000);
    assert.equal(first.leadership?.signal.aborted, false);
  });

  it('leaves no timer behind, and writes nothing more, once it is over', async () => {
    const { clock, server, candidate, end } = setUp();
    const first = candidate('a');
    await clock.advance(0);
    await first.leadership?.release();
    end.abort();
    await settle();
    const writes = server.holders().length;
    await clock.advance(60_000);
    assert.equal(server.holders().length, writes);
    assert.equal(clock.timers(), 0);
  });

  it('refuses periods that would let two lead at a time', async () => {
    const { clock, server } = setUp();
    const options = { session: server.session(), clock, random: () => 0, namespace: 'n', name: 'l', identity: 'a' };
    const wrong = becomeLeader({ ...options, onError: () => undefined, leaseMs: 10_000 }, new AbortController().signal);
    await assert.rejects(wrong, RangeError);
  });
});
