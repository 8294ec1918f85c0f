import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import type { Tables } from './tables.ts';

export type Value = string | number | bigint | null | Uint8Array;
export type Values = Readonly<Record<string, Value>>;

/**
 * A query as a value: written once with Kysely, compiled once for each store, run any number of times with named parameters.
 * To build the same query for each request would cost several times as much as running it.
 */
export interface Statement<P extends Values, R> {
  /** Only in the types: the parameters it takes. */
  readonly takes?: P;
  readonly build: (db: Kysely<Tables>) => Compilable<R>;
}

/** Marks the place of a parameter in a query; Kysely carries it through to the list of parameters. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

const placeholders: object = new Proxy({}, { get: (_target, name) => new Placeholder(String(name)) });

/**
 * Declares a statement: `statement<{ id: string }>()((db, { id }) => db.selectFrom('person')…where('id', '=', id))`.
 * Only pass the parameters on to Kysely: they have no value while the query is built.
 */
export function statement<P extends Values = Record<string, never>>() {
  return <R>(build: (db: Kysely<Tables>, parameters: P) => Compilable<R>): Statement<P, R> => ({
    // The types do not tell the truth here: each property is a placeholder, not a value of its type.
    build: (db) => build(db, placeholders as P),
  });
}

/** A compiled statement, and how to list the values of its parameters. */
export interface Prepared {
  readonly sql: string;
  readonly values: (parameters: Values) => Value[];
}

/** Compiles a statement for the dialect of `db`. */
export function prepare<P extends Values, R>(db: Kysely<Tables>, { build }: Statement<P, R>): Prepared {
  const { sql, parameters }: CompiledQuery<R> = build(db).compile();
  // Anything but a placeholder is a constant of the query itself.
  const template = parameters as readonly (Placeholder | Value)[];
  return {
    sql,
    values: (given) => template.map((part) => (part instanceof Placeholder ? valueOf(given, part.name) : part)),
  };
}

function valueOf(given: Values, name: string): Value {
  const value = given[name];
  // A forgotten parameter would otherwise be stored as NULL, or match nothing.
  if (value === undefined) throw new TypeError(`the statement's parameter ${name} is missing`);
  return value;
}
