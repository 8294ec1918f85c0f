import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Environment, StoreLocation } from '@rolecall/server';
import pg from 'pg';
import { startPostgres } from '../../support/databases/postgres.ts';

/**
 * Over which store the tests of this process run. `npm test` runs every file that uses `startTestService` or `newStore`
 * twice, once over each; a file that begins with the comment "Over the embedded store only" is about that one.
 */
export const storeKind = process.env['ROLECALL_TEST_STORE'] === 'postgresql' ? 'postgresql' : 'sqlite';

/** An empty store of a test: what the service and the commands need to find and to open it. */
export interface TestStore extends StoreLocation {
  readonly environment: Environment;
}

/** A temporary folder, removed after the tests of the file. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'rolecall-test-'));
  if (folders.push(folder) === 1) process.once('exit', removeFolders);
  return folder;
}

const folders: string[] = [];

/** Once the process ends: a service that still writes into its folder would make an `after` fail, and keep the other ones from running. */
function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** Writes an operator's file of keys in one step: a service that reads it meanwhile never finds half of it. */
export async function writeKeyFile(file: string, ...keys: string[]): Promise<void> {
  await writeFile(`${file}.new`, keys.join('\n'));
  await rename(`${file}.new`, file);
}

/** Makes a store of the kind that the tests run over. */
export async function newStore(): Promise<TestStore> {
  return storeKind === 'sqlite' ? { dataDir: await temporaryFolder(), environment: {} } : newPostgresStore();
}

/** Makes a store in a PostgreSQL database of its own, over whichever store the tests run. */
export async function newPostgresStore(): Promise<TestStore & { databaseUrl: string }> {
  const databaseUrl = await newDatabase();
  return { databaseUrl, environment: { ROLECALL_STORE_KEY: randomBytes(32).toString('base64') } };
}

let server: Promise<string> | undefined;
let count = 0;

/** The server that `npm test` has started for all files, or one of this file's own. */
async function serverUri(): Promise<string> {
  const shared = process.env['ROLECALL_TEST_POSTGRES'];
  if (shared !== undefined && shared !== '') return shared;
  // It ends with this process.
  return (await startPostgres({ max_connections: '300' })).uri;
}

/** An empty database; gives its URL. */
export async function newDatabase(): Promise<string> {
  server ??= serverUri();
  const uri = await server;
  count += 1;
  const name = `test_${process.pid}_${count}`;
  await askDatabase(uri, `create database ${name} template template0`);
  return uri.replace(/\/[^/]*$/, `/${name}`);
}

/** Runs a statement in a database, past the service; gives its rows. */
export async function askDatabase(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(text, values);
    return rows;
  } finally {
    await client.end();
  }
}

/** Runs a statement in a store, past the service; gives its rows. Parameters are written `$1`. */
export async function askStore(store: StoreLocation, text: string, values: string[] = []) {
  if (store.databaseUrl !== undefined) return askDatabase(store.databaseUrl, text, values);
  const database = new DatabaseSync(path.join(store.dataDir ?? '', 'rolecall.db'));
  try {
    const named = Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value]));
    return database.prepare(text).all(named) as Record<string, unknown>[];
  } finally {
    database.close();
  }
}

/** Whether a store has rows of a query, past the service. */
export async function hasSpooledRows(store: StoreLocation, query: string): Promise<boolean> {
  if (store.databaseUrl === undefined) return existsSync(path.join(store.dataDir ?? '', 'spool', query));
  const rows = await askDatabase(store.databaseUrl, 'select 1 from query_rows where query_id = $1 limit 1', [query]);
  return rows.length > 0;
}
