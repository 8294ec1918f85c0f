import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Compilable, Kysely } from 'kysely';
import { statement, type Value, type Values } from './statement.ts';
import type { Executor } from './store.ts';
import type { Tables } from './tables.ts';

/**
 * Functions that run one statement each. Those that end in `By` take their parameters, all of them texts, in the order of
 * their names: `findBy(['id'], (db, { id }) => …)` is called as `find(executor, id)`.
 *
 * Each of them throws what `Executor.all` throws.
 */

type Texts<N extends readonly string[]> = { [Index in keyof N]: string };
type Named<N extends readonly string[]> = { [Name in N[number]]: string };
type Build<P, R> = (db: Kysely<Tables>, parameters: P) => Compilable<R>;

/** All rows. @param toValue makes the value of a row; default: the row as it is */
export function listBy<const N extends readonly string[], R, T = R>(
  names: N,
  build: Build<Named<N>, R>,
  toValue?: (row: R) => T,
): (executor: Executor, ...texts: Texts<N>) => Promise<T[]> {
  const prepared = statement<Named<N>>()(build);
  return async (executor, ...texts) => {
    const rows = await executor.all(prepared, namedTexts(names, texts));
    // Without `toValue`, T is R.
    return toValue === undefined ? (rows as unknown as T[]) : rows.map(toValue);
  };
}

/** The first row; undefined if there is none. @param toValue as for `listBy` */
export function findBy<const N extends readonly string[], R, T = R>(
  names: N,
  build: Build<Named<N>, R>,
  toValue?: (row: R) => T,
): (executor: Executor, ...texts: Texts<N>) => Promise<T | undefined> {
  const prepared = statement<Named<N>>()(build);
  return async (executor, ...texts) => {
    const [row] = await executor.all(prepared, namedTexts(names, texts));
    // Without `toValue`, T is R.
    return row === undefined || toValue === undefined ? (row as T | undefined) : toValue(row);
  };
}

/** Changes rows. @returns whether there was one; the statement needs a `returning` */
export function changeBy<const N extends readonly string[], R>(
  names: N,
  build: Build<Named<N>, R>,
): (executor: Executor, ...texts: Texts<N>) => Promise<boolean> {
  const list = listBy(names, build);
  return async (executor, ...texts) => (await list(executor, ...texts)).length > 0;
}

/** Changes rows. */
export function runBy<const N extends readonly string[]>(
  names: N,
  build: Build<Named<N>, unknown>,
): (executor: Executor, ...texts: Texts<N>) => Promise<void> {
  const list = listBy(names, build);
  return async (executor, ...texts) => {
    await list(executor, ...texts);
  };
}

/** How many rows one statement takes: short ones, or ones that may have long texts. More would hold up the event loop. */
export const atOnce = { rows: 500, texts: 20 };

/**
 * Changes all rows that a condition selects, `limit` at a time.
 *
 * @param build changes at most `limit` rows, so that the condition selects them no more, and returns them
 * @returns every row that was changed; @param toValue as for `listBy`
 */
export function takeBy<const N extends readonly string[], R, T = R>(
  names: N,
  limit: number,
  build: (db: Kysely<Tables>, parameters: Named<N>, limit: number) => Compilable<R>,
  toValue?: (row: R) => T,
): (executor: Executor, ...texts: Texts<N>) => Promise<T[]> {
  const take = listBy(names, (db, parameters) => build(db, parameters, limit), toValue);
  return async (executor, ...texts) => {
    const all: T[] = [];
    let taken: T[];
    do {
      taken = await take(executor, ...texts);
      for (const one of taken) all.push(one);
    } while (taken.length === limit);
    return all;
  };
}

/** Maps rows that `takeBy` returns, in turns of the event loop: there may be 100,000. */
export async function mapInTurns<T, R>(rows: Promise<readonly T[]>, map: (row: T) => R): Promise<R[]> {
  const mapped: R[] = [];
  for (const [index, row] of (await rows).entries()) {
    if (index % 2000 === 1999) await nextTurn();
    mapped.push(map(row));
  }
  return mapped;
}

/** All rows, with an object of parameters; fields that the statement does not use may be there too. */
export function listWith<P extends { [Field in keyof P]: Value }>() {
  return <R>(build: Build<P, R>) => {
    // An interface is no record to TypeScript, although each of its fields is a value.
    const prepared = statement<Values>()(build as unknown as Build<Values, R>);
    return async (executor: Executor, parameters: P): Promise<R[]> => executor.all(prepared, parameters);
  };
}

/** The first row, with parameters as `listWith` takes them; undefined if there is none. */
export function findWith<P extends { [Field in keyof P]: Value }>() {
  return <R>(build: Build<P, R>) => {
    const list = listWith<P>()(build);
    return async (executor: Executor, parameters: P): Promise<R | undefined> => (await list(executor, parameters))[0];
  };
}

/** Changes rows, with parameters as `listWith` takes them. @returns whether there was one; the statement needs a `returning` */
export function changeWith<P extends { [Field in keyof P]: Value }>(build: Build<P, unknown>) {
  const list = listWith<P>()(build);
  return async (executor: Executor, parameters: P): Promise<boolean> => (await list(executor, parameters)).length > 0;
}

/** Changes rows, with parameters as `listWith` takes them. */
export function runWith<P extends { [Field in keyof P]: Value }>(build: Build<P, unknown>) {
  const list = listWith<P>()(build);
  return async (executor: Executor, parameters: P): Promise<void> => {
    await list(executor, parameters);
  };
}

/** How many rows one statement of `listEach` takes, the most first. */
const rowCounts = [8, 4, 2, 1];

/**
 * Asks or changes something for each of many rows, for several of them with one statement: a statement costs the service and the store
 * as much as many more rows do.
 *
 * @param build makes the statement for some rows, whose fields are only passed on to Kysely
 */
export function listEach<P extends { [Field in keyof P]: Value }>() {
  return <R>(build: Build<P[], R>) => {
    const bySize = rowCounts.map((count) => ({
      count,
      // As in `listWith`.
      prepared: statement<Values>()(
        (db, parameters): Compilable<R> => build(db, placeholderRows<P>(parameters, count)),
      ),
    }));
    return async (executor: Executor, rows: readonly P[]): Promise<R[]> => {
      const running: Promise<R[]>[] = [];
      let at = 0;
      for (const { count, prepared } of bySize) {
        for (; rows.length - at >= count; at += count) {
          // PostgreSQL runs them in order without a round trip for each.
          running.push(Promise.resolve(executor.all(prepared, parametersOf(rows.slice(at, at + count)))));
        }
      }
      return (await Promise.all(running)).flat();
    };
  };
}

/** Changes something for each of many rows, as `listEach` does. */
export function runEach<P extends { [Field in keyof P]: Value }>(build: Build<P[], unknown>) {
  const list = listEach<P>()(build);
  return async (executor: Executor, rows: readonly P[]): Promise<void> => {
    await list(executor, rows);
  };
}

const parameterName = (field: string, row: number): string => `${field} ${row}`;

function placeholderRows<P>(parameters: Values, count: number): P[] {
  return Array.from({ length: count }, (_, row) => {
    const get = (_target: object, field: string | symbol) => parameters[parameterName(String(field), row)];
    // Each field is a placeholder, not a value of its type.
    return new Proxy({}, { get }) as P;
  });
}

function parametersOf(rows: readonly { [Field in string]?: Value }[]): Values {
  const parameters: Record<string, Value> = {};
  for (const [row, fields] of rows.entries()) {
    for (const field of Object.keys(fields)) parameters[parameterName(field, row)] = fields[field] ?? null;
  }
  return parameters;
}

function namedTexts<const N extends readonly string[]>(names: N, texts: Texts<N>): Named<N> {
  const named: Record<string, string> = {};
  for (let at = 0; at < names.length; at += 1) named[names[at] ?? ''] = texts[at] ?? '';
  // `Texts` has exactly one text for each name.
  return named as Named<N>;
}
