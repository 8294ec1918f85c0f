import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NameQueue } from '../../../provider/workspace/name-queue.ts';

class TakenError extends Error {}

/** A service that has each name once. */
class Names {
  readonly #names: Map<string, string>;
  readonly #queue: NameQueue;
  readonly calls: string[] = [];

  constructor(names: Record<string, string>, patience?: number) {
    this.#names = new Map(Object.entries(names));
    this.#queue = new NameQueue(patience);
  }

  get all() {
    return Object.fromEntries(this.#names);
  }

  rename(id: string, to: string): Promise<void> {
    return this.#queue.take({
      id,
      make: () => this.#set(id, to),
      holder: (error) =>
        Promise.resolve(error instanceof TakenError ? { id: this.#holderOf(to) ?? '', field: 'name' } : undefined),
      free: async () => {
        await this.#set(id, `renamed-${id}`);
        return true;
      },
    });
  }

  async #set(id: string, to: string): Promise<void> {
    await Promise.resolve();
    const holder = this.#holderOf(to);
    this.calls.push(`${id}=${to}`);
    if (holder !== undefined && holder !== id) throw new TakenError(to);
    this.#names.set(id, to);
    this.#queue.tell(true);
  }

  #holderOf(name: string): string | undefined {
    return [...this.#names].find(([, one]) => one === name)?.[0];
  }
}

/** All orders of these. */
const orders = <T>(items: readonly T[]): T[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item) => orders(items.filter((one) => one !== item)).map((rest) => [item, ...rest]));

describe('names that objects take from one another', () => {
  for (const [what, after] of [
    ['two exchange them', { a: 'B', b: 'A', c: 'C', d: 'D' }],
    ['three pass them round', { a: 'B', b: 'C', c: 'A', d: 'D' }],
    ['each takes that of the next one', { a: 'B', b: 'C', c: 'D', d: 'E' }],
    ['two pairs exchange them', { a: 'B', b: 'A', c: 'D', d: 'C' }],
  ] as const) {
    it(`are theirs in the end, in whichever order they ask: ${what}`, async () => {
      for (const order of orders(['a', 'b', 'c', 'd'] as const)) {
        const names = new Names({ a: 'A', b: 'B', c: 'C', d: 'D' });
        const asked: Promise<void>[] = [];
        for (const id of order) {
          asked.push(names.rename(id, after[id]));
          // The next one asks when the one before may wait already.
          if (asked.length % 2 === 0) await new Promise(setImmediate);
        }
        await Promise.all(asked);
        assert.deepEqual(names.all, after, order.join(' '));
      }
    });
  }

  it('are taken by one call where no one has them', async () => {
    const names = new Names({ a: 'A', b: 'B' });
    await names.rename('a', 'C');
    assert.deepEqual(names.calls, ['a=C']);
  });

  it('are not taken from an object that keeps them: the refusal is thrown once nothing else is done', async () => {
    const names = new Names({ a: 'A', b: 'B', c: 'C' }, 1);
    const outcomes = await Promise.allSettled([names.rename('a', 'C'), names.rename('b', 'C')]);
    assert.ok(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof TakenError));
    assert.deepEqual(names.all, { a: 'A', b: 'B', c: 'C' });
    await names.rename('a', 'D');
    assert.equal(names.all['a'], 'D');
  });
});
