import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import type { Tables } from './tables.ts';

export type Value = string | number | bigint | null | Uint8Array;
export type Values = Readonly<Record<string, Value>>;

/**
 * A query as a value: written once with Kysely, compiled once a store, run any number of times with named parameters.
 * Building the same query anew for each request costs several times what running it does.
 */
export interface Statement<P extends Values, R> {
  /** Only in the types: the parameters it takes. */
  readonly takes?: P;
  readonly build: (db: Kysely<Tables>) => Compilable<R>;
}

/** Stands in a query where a parameter will be; Kysely carries it through to the list of parameters. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

const placeholders: object = new Proxy({}, { get: (_target, name) => new Placeholder(String(name)) });

/**
 * Declares a statement: `statement<{ id: string }>()((db, { id }) => db.selectFrom('person')…where('id', '=', id))`.
 * The parameters may only be passed on to Kysely: there is no value in them while the query is built.
 */
export function statement<P extends Values = Record<string, never>>() {
  return <R>(build: (db: Kysely<Tables>, parameters: P) => Compilable<R>): Statement<P, R> => ({
    // The one lie to the types: each property is a placeholder, not the value whose type it has.
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
  // What is no placeholder is a constant that the query itself brought along.
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
