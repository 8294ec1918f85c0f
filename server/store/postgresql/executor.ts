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

/** A statement; `binary`, which the driver's types do not know, gives bytes that are UTF-8 as a text, not as digits. */
export type Query = QueryConfig & { readonly binary?: boolean; readonly rowMode?: 'array' };

/** Sends one statement and gives its result. @throws what the rest of the service knows */
export type Send = (query: Query) => Promise<QueryResult>;

interface Named extends Prepared {
  readonly name: string;
}

/** Compiles each statement once, and names it: each connection prepares it once by this name. */
export interface StatementNames {
  <P extends Values, R>(statement: Statement<P, R>): Named;
}

export function createStatementNames(): StatementNames {
  const compiler = new Kysely<Tables>({ dialect: dialectOf(new DummyDriver()) });
  const known = new Map<unknown, Named>();
  return (statement) => {
    let named = known.get(statement);
    if (named === undefined) {
      named = { ...prepare(compiler, statement), name: `rolecall_${known.size}` };
      known.set(statement, named);
    }
    return named;
  };
}

/** Not the time at which the transaction began: that may be seconds ago, when the lock was waited for. */
const clock = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms';

/**
 * Runs statements over `send`. Nothing tells it whether the store has changed: other replicas write too, so what was read
 * before is never taken for current.
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

/** Kysely takes its connections from a pool; here that is whatever `send` sends over. */
function driverOver(send: Send): PostgresDriver {
  const client = {
    query: (text: string, values: readonly unknown[]) => send({ text, values: [...values] }),
    release: () => undefined,
  } as unknown as PostgresPoolClient;
  return new PostgresDriver({
    pool: { connect: () => Promise.resolve(client), end: () => Promise.resolve(), options: {} },
  });
}
