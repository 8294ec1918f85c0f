import type { Compilable, Kysely } from 'kysely';
import { statement, type Value, type Values } from './statement.ts';
import type { Executor } from './store.ts';
import type { Tables } from './tables.ts';

/**
 * Functions that each make one call of the store out of one statement. The first half of a name says what the call gives, the second half
 * how it takes the statement's parameters:
 *
 * | gives | `…By`: texts, in the order of their names | `…With`: an object |
 * | --- | --- | --- |
 * | all rows | `listBy` | `listWith` |
 * | the first row, or undefined | `findBy` | `findWith` |
 * | true if a row was changed; the statement must have a `returning` | `changeBy` | `changeWith` |
 * | nothing | `runBy` | `runWith` |
 *
 * `const findPerson = findBy(['id'], (db, { id }) => …)` is called as `findPerson(executor, id)`. An object may have fields that the statement
 * does not use. `listEach` and `runEach` take a list of objects. Each call throws what `Executor.all` throws.
 */

type Texts<N extends readonly string[]> = { [Index in keyof N]: string };
type Named<N extends readonly string[]> = { [Name in N[number]]: string };
type Build<P, R> = (db: Kysely<Tables>, parameters: P) => Compilable<R>;

/** @param toValue makes the value of a row; default: the row as it is */
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

/** @param toValue as for `listBy` */
export function findBy<const N extends readonly string[], R, T = R>(
  names: N,
  build: Build<Named<N>, R>,
  toValue?: (row: R) => T,
): (executor: Executor, ...texts: Texts<N>) => Promise<T | undefined> {
  const list = listBy(names, build, toValue);
  return async (executor, ...texts) => (await list(executor, ...texts))[0];
}

export function changeBy<const N extends readonly string[]>(
  names: N,
  build: Build<Named<N>, unknown>,
): (executor: Executor, ...texts: Texts<N>) => Promise<boolean> {
  const list = listBy(names, build);
  return async (executor, ...texts) => (await list(executor, ...texts)).length > 0;
}

export function runBy<const N extends readonly string[]>(
  names: N,
  build: Build<Named<N>, unknown>,
): (executor: Executor, ...texts: Texts<N>) => Promise<void> {
  const list = listBy(names, build);
  return async (executor, ...texts) => {
    await list(executor, ...texts);
  };
}

export function listWith<P extends { [Field in keyof P]: Value }>() {
  return <R>(build: Build<P, R>) => {
    // An interface is no record to TypeScript, although each of its fields is a value.
    const prepared = statement<Values>()(build as unknown as Build<Values, R>);
    return async (executor: Executor, parameters: P): Promise<R[]> => executor.all(prepared, parameters);
  };
}

export function findWith<P extends { [Field in keyof P]: Value }>() {
  return <R>(build: Build<P, R>) => {
    const list = listWith<P>()(build);
    return async (executor: Executor, parameters: P): Promise<R | undefined> => (await list(executor, parameters))[0];
  };
}

export function changeWith<P extends { [Field in keyof P]: Value }>(build: Build<P, unknown>) {
  const list = listWith<P>()(build);
  return async (executor: Executor, parameters: P): Promise<boolean> => (await list(executor, parameters)).length > 0;
}

export function runWith<P extends { [Field in keyof P]: Value }>(build: Build<P, unknown>) {
  const list = listWith<P>()(build);
  return async (executor: Executor, parameters: P): Promise<void> => {
    await list(executor, parameters);
  };
}

/** Row counts of one statement of `listEach`, the largest first. */
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
