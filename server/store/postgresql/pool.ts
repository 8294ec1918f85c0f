import type { ConnectionUri } from '@rolecall/api';
import pg from 'pg';
import { tlsOptions } from '../../protocols/postgresql/tls.ts';
import { lockTimeouts } from '../lock-timeouts.ts';

/** To connect and log in, or to wait for a connection that is free, in milliseconds. */
const connectMs = 5000;

/** After this an idle connection is closed, in milliseconds. */
const idleMs = 60_000;

/** In milliseconds, 0 for none. The server's own limits are shorter, so that the server ends what takes too long. */
export interface Limits {
  readonly statement: number;
  /** To wait for the writes of other replicas. */
  readonly lock: number;
  /** Time that a replica may hang in the middle of a write; shorter than the time for which others wait. */
  readonly idleInTransaction: number;
  /** Time to wait for an answer before the server counts as silent. */
  readonly silence: number;
}

const usual: Limits = {
  statement: 15_000,
  lock: lockTimeouts.write,
  idleInTransaction: lockTimeouts.write / 2,
  silence: 20_000,
};

/** For migrations: the larger the store, the longer a step takes. */
export const migrating: Limits = {
  statement: 0,
  lock: lockTimeouts.open,
  idleInTransaction: lockTimeouts.open / 2,
  silence: 0,
};

/** Integers that a JavaScript number cannot hold come as BigInt, never rounded. */
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, (text: string) => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
});

/** Options in which the connections of a pool differ. */
export interface PoolOptions {
  readonly max: number;
  /** Shown in pg_stat_activity. */
  readonly name: string;
  /** Sends statements without waiting for earlier answers. */
  readonly pipeline?: boolean;
  /** Default: those of reading and writing. */
  readonly limits?: Limits;
  /** Server settings, beyond those that all connections have. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Makes the settings of a connection to the database of a store. Nothing is taken from the environment or from files
 * (PGHOST, PGOPTIONS, ~/.pgpass): what is connected to is what the URI says.
 */
export function connectionConfig(
  uri: ConnectionUri,
  { name, pipeline = false, limits = usual, settings = {} }: Omit<PoolOptions, 'max'>,
): pg.ClientConfig {
  const { user = '', password = '', host = '', port = 5432, database } = uri;
  const all = {
    // Whatever the database has as its default: the lock of writes and snapshots a statement are built on it.
    default_transaction_isolation: 'read committed',
    statement_timeout: String(limits.statement),
    lock_timeout: String(limits.lock),
    idle_in_transaction_session_timeout: String(limits.idleInTransaction),
    ...settings,
  };
  return {
    host,
    port,
    user,
    // A function, since an empty text makes the driver look elsewhere.
    password: () => password,
    database: database === '' ? user : database,
    ssl: tlsOptions(uri),
    sslnegotiation: 'postgres',
    application_name: uri.parameters['application_name'] ?? name,
    options: Object.entries(all)
      .map(([setting, value]) => `-c ${setting}=${value.replaceAll(' ', '\\ ')}`)
      .join(' '),
    connectionTimeoutMillis: connectMs,
    query_timeout: limits.silence,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    pipeline,
    types,
  };
}

/** A pool that opens connections as they are needed, and silently drops broken ones. */
export function createPool(uri: ConnectionUri, options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    ...connectionConfig(uri, options),
    max: options.max,
    idleTimeoutMillis: idleMs,
    allowExitOnIdle: true,
  });
  // An idle connection broke. The pool has dropped it, and opens another when needed.
  pool.on('error', () => undefined);
  return pool;
}
