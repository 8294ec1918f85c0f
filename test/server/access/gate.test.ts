import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { Gate } from '../../../server/access/gate.ts';
import type { Denial } from '../../../server/access/reach.ts';
import { StoreUnavailableError } from '../../../server/store/errors.ts';
import type { Store } from '../../../server/store/store.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const day = 86_400_000;

/** A store of one data source and two people, of whom only the first is ever locked. Its clock and answers are the test's. */
class FakeStore {
  now = 1_000_000;
  version = 0;
  locked = false;
  /** Permissions, and times in a role. */
  permissions: { id: string; from: number; until: number; kind?: 'role' }[] = [];
  away: 'no' | 'refuses' | 'hangs' = 'no';
  /** Holds back the next reading of grants until it is called. */
  held: (() => void) | undefined;
  hold = false;

  change(change: () => void): void {
    change();
    this.version += 1;
  }

  readonly read: Store['read'] = async (work) => {
    if (this.away === 'refuses') throw new StoreUnavailableError('away');
    if (this.away === 'hangs') await new Promise(() => undefined);
    const all = (_statement: unknown, { person = '' }: { person?: string }) => this.#answer(person);
    const executor = { now: () => new Date(this.now), all };
    return work(executor as never);
  };

  #asked = 0;

  /** The gate runs two statements: one of five columns for the grants, one of one column for the version. */
  async #answer(person: string): Promise<unknown[]> {
    this.#asked += 1;
    const none = { name: '', startsAt: '', expiresAt: '' };
    const rows = [
      {
        ...none,
        kind: this.locked && person !== 'grace' ? 'locked person' : 'person',
        id: 'ada',
        version: this.version,
      },
      { ...none, kind: 'data source', id: 'shop' },
      ...this.permissions.map(({ id, from, until, kind = 'permission' }) => ({
        ...none,
        kind,
        id,
        startsAt: new Date(from).toISOString(),
        expiresAt: until === Infinity ? '' : new Date(until).toISOString(),
      })),
    ];
    if (this.hold) {
      this.hold = false;
      await new Promise<void>((resolve) => {
        this.held = resolve;
      });
    }
    return rows;
  }
}

describe('the gate', () => {
  let store: FakeStore;
  let gate: Gate;
  let errors: unknown[];
  let monotonic: number;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    monotonic = 5000;
    mock.method(performance, 'now', () => monotonic);
    store = new FakeStore();
    errors = [];
    gate = new Gate({ store, onError: (error) => errors.push(error) });
  });

  afterEach(async () => {
    mock.timers.reset();
    mock.restoreAll();
    if (store.away !== 'hangs') await gate.close();
  });

  /** Lets time pass, in steps, for the store and for this process alike. */
  async function pass(ms: number, step = 50): Promise<void> {
    for (let left = ms; left > 0; left -= step) {
      const now = Math.min(step, left);
      store.now += now;
      monotonic += now;
      mock.timers.tick(now);
      for (let turn = 0; turn < 4; turn += 1) await setImmediate();
    }
  }

  async function enter(): Promise<{ ends: Denial[]; leave: () => void }> {
    const ends: Denial[] = [];
    const passage = await gate.enter('ada', 'shop', (denial) => ends.push(denial));
    assert.ok(passage.reach.allowed);
    return {
      ends,
      leave: () => {
        passage.leave();
      },
    };
  }

  const permission = (id: string, ms: number, from = store.now) => ({ id, from, until: store.now + ms });

  it('ends a passage at the end of its permission, and not a step before', async () => {
    store.permissions = [permission('7', 1000)];
    const { ends } = await enter();
    await pass(950);
    assert.equal(ends.length, 0);
    await pass(50);
    assert.equal(ends[0]?.reason, 'access_ended');
    assert.equal(ends.length, 1);
  });

  it('ends what has ended as soon as it is told to look, before any timer, and nothing that goes on', async () => {
    const standStill = (ms: number): void => {
      store.now += ms;
      monotonic += ms;
    };
    store.permissions = [permission('7', 1000)];
    const passage = await enter();
    store.change(() => store.permissions.push(permission('8', 10_000)));
    standStill(5000);
    await gate.recheck();
    assert.equal(passage.ends.length, 0);
    standStill(6000);
    await gate.recheck();
    assert.equal(passage.ends[0]?.reason, 'access_ended');
    store.permissions = [permission('9', 10_000)];
    const locked = await enter();
    store.change(() => {
      store.locked = true;
    });
    await gate.recheck();
    assert.equal(locked.ends[0]?.reason, 'person_locked');
  });

  it('ends a passage at the end of a time in a role, and lets none in before it begins', async () => {
    store.permissions = [{ ...permission('on-call', 1000, store.now + 300), kind: 'role' }];
    const early = await gate.reach('ada', 'shop');
    assert.equal(!early.allowed && early.reason, 'access_upcoming');
    await pass(300);
    const { ends } = await enter();
    await pass(650);
    assert.equal(ends.length, 0);
    await pass(50);
    assert.deepEqual(
      ends.map((end) => end.reason === 'access_ended' && end.grant.through),
      ['role'],
    );
  });

  it('lets a passage go on where another grant covers the end, even one that came meanwhile', async () => {
    store.permissions = [permission('7', 1000)];
    const { ends } = await enter();
    await pass(800);
    store.change(() => store.permissions.push({ id: '8', from: store.now + 200, until: store.now + 3000 }));
    await pass(2900);
    assert.equal(ends.length, 0);
    await pass(200);
    assert.equal(ends.length, 1);
  });

  it('waits for an end in forty days, which no single timer of Node can', async () => {
    store.permissions = [permission('7', 40 * day)];
    const { ends } = await enter();
    await pass(2000);
    assert.equal(ends.length, 0);
    await pass(40 * day - 3000, day);
    assert.equal(ends.length, 0);
    await pass(1000);
    assert.equal(ends.length, 1);
  });

  it('ends at once when the person is locked, and tells each passage once', async () => {
    store.permissions = [permission('7', day)];
    const [one, other] = [await enter(), await enter()];
    store.change(() => {
      store.locked = true;
    });
    await pass(500);
    assert.deepEqual(
      [one.ends, other.ends],
      [[{ allowed: false, reason: 'person_locked' }], [{ allowed: false, reason: 'person_locked' }]],
    );
    await pass(2000);
    assert.equal(one.ends.length + other.ends.length, 2);
  });

  it('ends at once when the person is locked, although others come in all the time', async () => {
    store.permissions = [permission('7', day)];
    const { ends } = await enter();
    store.change(() => {
      store.locked = true;
    });
    for (let passed = 0; passed < 450; passed += 50) {
      await pass(50);
      await gate.enter('grace', 'shop', () => assert.fail('she has access'));
    }
    assert.equal(ends[0]?.reason, 'person_locked');
  });

  it('tells nothing to a passage that was left', async () => {
    store.permissions = [permission('7', 300)];
    const { ends, leave } = await enter();
    leave();
    await pass(1000);
    assert.equal(ends.length, 0);
  });

  it('follows the clock of the store when it is set, in both directions', async () => {
    store.permissions = [permission('7', 60_000, 0)];
    const { ends } = await enter();
    store.now -= 50_000;
    await pass(100_000);
    assert.equal(ends.length, 0);
    store.now += 9000;
    await pass(1500);
    assert.equal(ends.length, 1);
  });

  it('ends a passage when the clock of the store is set back before the start of its permission', async () => {
    store.permissions = [permission('7', 60_000)];
    const { ends } = await enter();
    await pass(500);
    store.now -= 10_000;
    await pass(450);
    assert.equal(ends[0]?.reason, 'access_upcoming');
  });

  it('ends nothing early when the clock of the store was set back just before the end', async () => {
    store.permissions = [permission('7', 650)];
    const { ends } = await enter();
    await pass(600);
    store.now -= 50;
    await pass(50);
    assert.equal(ends.length, 0);
    await pass(50);
    assert.equal(ends.length, 1);
  });

  it('notices at its next check that the machine slept', async () => {
    store.permissions = [permission('7', 10_000)];
    const { ends } = await enter();
    // The monotonic clock stands still while a machine sleeps; that of the store does not.
    store.now += 20_000;
    await pass(500);
    assert.equal(ends.length, 1);
  });

  for (const away of ['refuses', 'hangs'] as const) {
    it(`ends at the known end while the store ${away}, and lets no one in`, async () => {
      store.permissions = [permission('7', 1000)];
      const { ends } = await enter();
      store.away = away;
      await pass(950);
      assert.equal(ends.length, 0);
      await pass(400);
      assert.equal(ends[0]?.reason, 'access_ended');
      if (away === 'refuses') {
        await assert.rejects(gate.reach('ada', 'shop'), StoreUnavailableError);
        assert.equal(errors.length, 1, 'an outage is reported once');
      }
    });
  }

  it('does not take an old reading that comes late for the present', async () => {
    store.permissions = [permission('7', day)];
    const { ends } = await enter();
    store.hold = true;
    const late = enter();
    await setImmediate();
    store.change(() => {
      store.permissions = [permission('8', 1000)];
    });
    await pass(500);
    store.held?.();
    await late;
    await pass(700);
    assert.equal(ends.length, 1, 'the shorter permission counts');
  });

  it('ends a passage that was entered by a reading older than the check before it', async () => {
    store.permissions = [permission('7', day)];
    const { ends: first } = await enter();
    store.hold = true;
    const late = enter();
    await setImmediate();
    store.change(() => {
      store.locked = true;
    });
    await pass(300);
    assert.equal(first.length, 1);
    store.held?.();
    const { ends } = await late;
    await pass(450);
    assert.equal(ends[0]?.reason, 'person_locked');
  });

  it('agrees with a naive evaluation over random histories: exact when asked, never early, and late by a check at most', async () => {
    const step = 50;
    const change = fc.oneof(
      { weight: 4, arbitrary: fc.record({ pass: fc.integer({ min: 1, max: 16 }) }) },
      {
        weight: 3,
        arbitrary: fc.record({
          grant: fc.integer({ min: -4, max: 12 }),
          lasts: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 24 }) }, fc.constant(Infinity)),
          kind: fc.constantFrom('permission', 'role'),
        }),
      },
      { weight: 2, arbitrary: fc.record({ enter: fc.constant(true) }) },
      { weight: 1, arbitrary: fc.record({ revoke: fc.nat(3) }) },
      { weight: 1, arbitrary: fc.record({ lock: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ jump: fc.integer({ min: -20, max: 20 }) }) },
    );
    /** Two checks of the gate, 200 ms apart, and a step. */
    const latest = 450;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 4, maxLength: 24 }), async (history) => {
        await gate.close();
        store = new FakeStore();
        gate = new Gate({ store, onError: assert.ifError });
        const reaches = () =>
          !store.locked && store.permissions.some(({ from, until }) => from <= store.now && store.now < until);
        let jumpedAt = -Infinity;
        const open: { ends: Denial[]; lost: boolean; lostFor: number }[] = [];
        const compare = async (passed: number): Promise<void> => {
          const isReached = reaches();
          for (const one of open) {
            one.lost ||= !isReached;
            one.lostFor = isReached ? 0 : one.lostFor + passed;
            assert.ok(one.ends.length <= (one.lost ? 1 : 0), 'it ended early, or twice');
            if (one.lostFor > latest) assert.equal(one.ends.length, 1, 'it goes on');
          }
          // The gate measures the clock of the store every 200 ms.
          if (monotonic - jumpedAt > 250) assert.equal((await gate.reach('ada', 'shop')).allowed, isReached);
        };
        for (const one of history) {
          if ('pass' in one) {
            for (let passed = 0; passed < one.pass; passed += 1) {
              await pass(step);
              await compare(step);
            }
          } else if ('grant' in one) {
            const from = store.now + one.grant * step;
            const isRole = one.kind === 'role';
            const until = from + (isRole || one.lasts !== Infinity ? one.lasts : 1) * step;
            const id = String(store.permissions.length);
            const granted = { id, from, until, ...(isRole ? { kind: 'role' as const } : {}) };
            store.change(() => store.permissions.push(granted));
          } else if ('revoke' in one) store.change(() => store.permissions.splice(one.revoke, 1));
          else if ('lock' in one) {
            store.change(() => {
              store.locked = one.lock;
            });
          } else if ('jump' in one) {
            store.now += one.jump * step;
            jumpedAt = monotonic;
          } else {
            const ends: Denial[] = [];
            const { reach } = await gate.enter('ada', 'shop', (denial) => ends.push(denial));
            if (reach.allowed) open.push({ ends, lost: !reaches(), lostFor: 0 });
          }
          await compare(0);
        }
      }),
      { numRuns: propertyRuns({ quick: 60, all: 1000 }) },
    );
  });
});
