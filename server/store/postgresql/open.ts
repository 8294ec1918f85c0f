import type { ConnectionUri } from '@rolecall/api';
import { StoreUnavailableError } from '../errors.ts';
import { migrateStore } from '../migrate.ts';
import { type AppendEntries, refuseEntries, type Store } from '../store.ts';
import type { UniqueColumns } from './errors.ts';
import { createExecutor, createStatementNames, type Send } from './executor.ts';
import { Notifier } from './notifier.ts';
import { createPool, migrating } from './pool.ts';
import { sendToPool } from './reader.ts';
import { openSnapshot } from './snapshot.ts';
import { explainTls, parseStoreUrl } from './url.ts';
import { writeTransaction } from './write-transaction.ts';
import { createWriter } from './writer.ts';

/** Connections that a replica has for reads; it has one more for writes. */
const readers = 8;

/** Connections that a replica has for snapshots, of their own: a client that reads one slowly must not hold up other reads. */
const snapshots = 4;

/** Milliseconds that the client of a snapshot may pause. */
const snapshotPause = 60_000;

const oldestServer = 140_000;

/**
 * Opens the store in a PostgreSQL database, and migrates it if it is old or empty. Any number of processes may open it.
 *
 * @param url `postgresql://user:password@host:port/database`, with the parameters that data sources take
 * @param append writes the audit trail; without it, nothing may be recorded
 * @param committed gets the number of writes in each commit
 * @throws StoreUrlError, StoreVersionError, StoreUnavailableError
 */
export async function openPostgresStore(
  url: string,
  append: AppendEntries = refuseEntries,
  committed: (writes: number) => void = () => undefined,
): Promise<Store> {
  const uri = parseStoreUrl(url);
  const reading = createPool(uri, { max: readers, name: 'rolecall' });
  const writing = createPool(uri, {
    max: 1,
    name: 'rolecall write',
    pipeline: true,
    // What is answered is on the disk, whatever the database has as its default.
    settings: { synchronous_commit: 'on' },
  });
  const ofSnapshots = createPool(uri, {
    max: snapshots,
    name: 'rolecall snapshot',
    settings: {
      default_transaction_isolation: 'repeatable read',
      default_transaction_read_only: 'on',
      idle_in_transaction_session_timeout: String(snapshotPause),
    },
  });
  const end = async (): Promise<void> => {
    await Promise.all([reading.end(), writing.end(), ofSnapshots.end()]);
  };
  // Only the writes of an open store can violate a unique index.
  let columns: UniqueColumns = () => undefined;
  const send = sendToPool(reading, (index) => columns(index));
  try {
    await checkServer(send);
    await migrate(uri, send);
    columns = await readUniqueColumns(send);
    const names = createStatementNames();
    const executor = createExecutor(send, names);
    const writer = createWriter({ pool: writing, names, columns, append, committed });
    const notifier = new Notifier(uri, send);
    return {
      read: (work) => work(executor),
      snapshot: () => openSnapshot(ofSnapshots, names, columns),
      write: writer.write,
      replicas: notifier,
      close: async () => {
        await writer.close();
        await notifier.close();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw explainTls(error, url);
  }
}

async function checkServer(send: Send): Promise<void> {
  const { rows } = await send({
    text: "select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding",
  });
  const { version = '', encoding = '' } = (rows[0] ?? {}) as { version?: string; encoding?: string };
  if (Number(version) < oldestServer) {
    throw new StoreUnavailableError('the store needs PostgreSQL 14 or newer: upgrade the server');
  }
  if (encoding !== 'UTF8') {
    throw new StoreUnavailableError(
      `the store's database has the encoding ${encoding}: make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
    );
  }
}

async function migrate(uri: ConnectionUri, read: Send): Promise<void> {
  const names = createStatementNames();
  const pool = createPool(uri, { max: 1, name: 'rolecall migrate', limits: migrating });
  try {
    await migrateStore({
      kind: 'postgresql',
      db: createExecutor(read, names).db,
      alone: (work) =>
        writeTransaction(
          pool,
          () => undefined,
          (send) => work(createExecutor(send, names).db),
        ),
    });
  } finally {
    await pool.end();
  }
}

const uniqueIndexes = `
  select index.relname as index, owner.relname || '.' || attribute.attname as column
  from pg_index
  join pg_class index on index.oid = indexrelid
  join pg_class owner on owner.oid = indrelid
  join pg_attribute attribute on attribute.attrelid = indrelid and attribute.attnum = indkey[0]
  where indisunique and owner.relnamespace = current_schema()::regnamespace`;

/** Reads the unique columns, since the server's errors name only the index, or are in the server's own language. */
async function readUniqueColumns(send: Send): Promise<UniqueColumns> {
  const { rows } = await send({ text: uniqueIndexes });
  const columns = new Map((rows as { index: string; column: string }[]).map(({ index, column }) => [index, column]));
  return (index) => columns.get(index);
}
