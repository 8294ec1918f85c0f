import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Compilable, Kysely } from 'kysely';
import { listBy } from './operations.ts';
import type { Executor } from './store.ts';
import type { Tables } from './tables.ts';

/** Most rows that one statement changes: short ones, or ones that may have long texts. More would hold up the event loop. */
export const batchSize = { rows: 500, texts: 20 };

/**
 * Changes every row that a condition selects, a batch at a time, and returns all of them: deletes them, or takes their owner away.
 *
 * @param names of the parameters, as `listBy` takes them
 * @param limit the most rows of a batch
 * @param build changes at most `limit` rows, so that the condition selects them no more, and returns them
 * @param toValue makes the value of a row; default: the row as it is
 */
export function changeInBatches<const N extends readonly string[], R, T = R>(
  names: N,
  limit: number,
  build: (db: Kysely<Tables>, parameters: { [Name in N[number]]: string }, limit: number) => Compilable<R>,
  toValue?: (row: R) => T,
): (executor: Executor, ...texts: { [Index in keyof N]: string }) => Promise<T[]> {
  const changeBatch = listBy(names, (db, parameters) => build(db, parameters, limit), toValue);
  return async (executor, ...texts) => {
    const changed: T[] = [];
    for (;;) {
      const batch = await changeBatch(executor, ...texts);
      for (const row of batch) changed.push(row);
      if (batch.length < limit) return changed;
    }
  };
}

/** Maps rows that `changeInBatches` returns, in turns of the event loop: there may be 100,000. */
export async function mapInTurns<T, R>(rows: Promise<readonly T[]>, map: (row: T) => R): Promise<R[]> {
  const mapped: R[] = [];
  for (const [index, row] of (await rows).entries()) {
    if (index % 2000 === 1999) await nextTurn();
    mapped.push(map(row));
  }
  return mapped;
}
