import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { type Spare, Spares, stopBy } from '../../../server/gateway/spares.ts';

/** Sessions of one account in some databases, and the spare connections that were opened for it. */
function account(test: TestContext) {
  test.mock.timers.enable({ apis: ['setTimeout'] });
  const spares = new Spares();
  const state = { isAway: false, attempts: 0, open: [] as string[] };
  const open = (database: string) => async (): Promise<Spare> => {
    state.attempts += 1;
    if (state.isAway) throw new Error('too many connections');
    state.open.push(database);
    const { promise: closed, resolve } = Promise.withResolvers<undefined>();
    const close = (): void => {
      state.open.splice(state.open.indexOf(database), 1);
      resolve(undefined);
    };
    return Promise.resolve({ end: () => Promise.resolve(), closed, close });
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  const join = (database: string) => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress: '192.0.2.1', remotePort: 5432 });
    const spare = spares.join(socket, { type: 'postgresql', user: 'app', database }, open(database));
    return { spare, close: () => socket.emit('close') };
  };
  const wait = async (ms: number): Promise<void> => {
    await settle();
    test.mock.timers.tick(ms);
    await settle();
  };
  return { state, join, settle, wait };
}

describe('the connection in reserve', () => {
  it('is there from the fourth session of an account on, whichever databases they are in, until the last one ends', async (test) => {
    const { state, join, settle } = account(test);
    const [one, two, three] = [join('a'), join('b'), join('a')];
    await settle();
    assert.deepEqual(state.open, []);
    const four = join('b');
    await settle();
    assert.deepEqual(state.open, ['b']);
    assert.ok(one.spare() !== undefined && one.spare() === four.spare());
    for (const session of [one, three, two]) session.close();
    await settle();
    assert.deepEqual(state.open, ['b']);
    four.close();
    await settle();
    assert.deepEqual(state.open, []);
  });

  it('leaves a database with the last session in it, and goes on in another one', async (test) => {
    const { state, join, settle, wait } = account(test);
    const others = ['b', 'b', 'b'].map(join);
    const last = join('a');
    await settle();
    assert.deepEqual(state.open, ['a']);
    others.push(join('b'));
    last.close();
    await settle();
    assert.deepEqual(state.open, []);
    await wait(1000);
    assert.deepEqual(state.open, ['b']);
    assert.ok(others[0]?.spare() !== undefined);
  });

  it('is tried again ever later where it is refused: each attempt may count as a failed log-in', async (test) => {
    const { state, join, wait } = account(test);
    state.isAway = true;
    for (const database of ['a', 'a', 'a', 'a']) join(database);
    for (let second = 0; second < 120; second += 1) await wait(1000);
    assert.equal(state.attempts, 8);
    state.isAway = false;
    await wait(30_000);
    assert.deepEqual(state.open, ['a']);
  });

  it('ends a session alone at first: a log-in for each of many would hold all of them up', async () => {
    const asked: string[] = [];
    const spare: Spare = {
      end: (id) => Promise.resolve(asked.push(`spare ${id}`)),
      closed: Promise.resolve(),
      close: () => undefined,
    };
    const other = () => Promise.resolve(asked.push('other'));
    await stopBy(spare, 7, { isLate: false, other });
    assert.deepEqual(asked.splice(0), ['spare 7']);
    await stopBy(spare, 7, { isLate: true, other });
    assert.deepEqual(asked.splice(0), ['spare 7', 'other']);
    await stopBy(undefined, 7, { isLate: false, other });
    assert.deepEqual(asked, ['other']);
  });
});
