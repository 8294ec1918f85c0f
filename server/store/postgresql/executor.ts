import {
  type Dialect,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  type PostgresPoolClient,
} from 'kysely';
import type { QueryConfig, QueryResult } from 'pg';
import { type Prepared, prepare, type Statement, type Values } from '../statement.ts';
import type { Executor } from '../store.ts';
import type { Tables } from '../tables.ts';
import { SchemaCompiler } from './schema-compiler.ts';

/** A statement. `binary`, missing in the driver's types, returns bytes that are UTF-8 as a text, not as digits. */
export type Query = QueryConfig & { readonly binary?: boolean; readonly rowMode?: 'array' };

/** Sends one statement and returns its result. @throws errors that the service knows */
export type Send = (query: Query) => Promise<QueryResult>;

interface Named extends Prepared {
  readonly name: string;
}

/** Compiles each statement once, and names it, so that each connection prepares it only once. */
export interface StatementNames {
  <P extends Values, R>(statement: Statement<P, R>): Named;
}

export function createStatementNames(): StatementNames {
  const compiler = new Kysely<Tables>({ dialect: dialectOf(new DummyDriver()) });
  const prepared = new Map<unknown, Named>();
  return (statement) => {
    let named = prepared.get(statement);
    if (named === undefined) {
      named = { ...prepare(compiler, statement), name: `rolecall_${prepared.size}` };
      prepared.set(statement, named);
    }
    return named;
  };
}

/** Not the begin of the transaction, which may be seconds ago if it waited for the lock. */
const clock = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms';

/**
 * Runs statements over `send`. It cannot tell whether the store has changed, since other replicas write too.
 */
export function createExecutor(send: Send, names: StatementNames): Executor {
  return {
    db: new Kysely<Tables>({ dialect: dialectOf(driverOver(send)) }),
    revision: undefined,
    now: async () => {
      const { rows } = await send({ name: 'rolecall_now', text: clock });
      return new Date(Math.floor((rows as { ms: number }[])[0]?.ms ?? Number.NaN));
    },
    all: async <P extends Values, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> => {
      const { name, sql, values } = names(statement);
      const { rows } = await send({ name, text: sql, values: values(parameters) });
      // Kysely vouches for the shape of the rows: it wrote the query.
      return rows as R[];
    },
  };
}

function dialectOf(driver: ReturnType<Dialect['createDriver']>): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new SchemaCompiler(),
  };
}

/** Kysely takes its connections from a pool; this one sends everything over `send`. */
function driverOver(send: Send): PostgresDriver {
  const client = {
    query: (text: string, values: readonly unknown[]) => send({ text, values: [...values] }),
    release: () => undefined,
  } as unknown as PostgresPoolClient;
  return new PostgresDriver({
    pool: { connect: () => Promise.resolve(client), end: () => Promise.resolve(), options: {} },
  });
}
