import type { Lease } from '@rolecall/api';
import type { Compilable } from 'kysely';
import { rowOf } from './columns.ts';
import { changeBy, findBy, runWith } from './operations.ts';
import type { Executor } from './store.ts';

/** The lease, with the key that took it. */
export interface StoredLease extends Lease {
  readonly keyId: string;
}

const columns = ['id', 'key_id as keyId', 'holder', 'taken_at as takenAt', 'expires_at as expiresAt'] as const;

/** The lease, whether or not it has ended; undefined where no one has taken one since the last was released. */
export const selectLease = findBy([], (db): Compilable<StoredLease> => db.selectFrom('lease').select(columns));

const insert = runWith<StoredLease>((db, lease) => db.insertInto('lease').values(rowOf(columns, lease)));

const extend = changeBy(['id', 'expiresAt'], (db, { id, expiresAt }) =>
  db.updateTable('lease').set({ expires_at: expiresAt }).where('id', '=', id).returning('id'),
);

const remove = changeBy(['id'], (db, { id }) => db.deleteFrom('lease').where('id', '=', id).returning('id'));

/** @returns the end of a lease that lasts so many seconds from now, by the store's clock */
export async function leaseEnd(executor: Executor, seconds: number): Promise<string> {
  return new Date((await executor.now()).getTime() + seconds * 1000).toISOString();
}

/** Puts the lease in the place of another one. */
export async function replaceLease(
  executor: Executor,
  current: StoredLease | undefined,
  lease: StoredLease,
): Promise<void> {
  if (current !== undefined) await remove(executor, current.id);
  await insert(executor, lease);
}

export { extend as extendLease, remove as deleteLease };
