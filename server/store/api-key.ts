import type { Scope } from '@rolecall/api';
import { statement } from './statement.ts';
import { type Executor, first } from './store.ts';

/** A key as it is listed; times are ISO 8601, null for never. */
export interface KeyRecord {
  id: string;
  /** What its maker calls it; null for nothing. */
  name: string | null;
  scope: Scope;
  createdAt: string;
  rotatedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
}

/** What authentication needs of a key. */
export interface KeyCredentials {
  secretHash: Uint8Array;
  name: string | null;
  scope: Scope;
  expiresAt: string | null;
}

const columns = [
  'id',
  'name',
  'scope',
  'created_at as createdAt',
  'rotated_at as rotatedAt',
  'expires_at as expiresAt',
  'revoked_at as revokedAt',
] as const;

const insert = statement<{
  id: string;
  name: string | null;
  secretHash: Uint8Array;
  scope: string;
  createdAt: string;
  expiresAt: string | null;
}>()((db, key) =>
  db
    .insertInto('api_key')
    .values({
      id: key.id,
      name: key.name,
      secret_hash: key.secretHash,
      scope: key.scope,
      created_at: key.createdAt,
      expires_at: key.expiresAt,
    })
    .returning(columns),
);

const credentials = statement<{ id: string }>()((db, { id }) =>
  db
    .selectFrom('api_key')
    .select(['secret_hash as secretHash', 'name', 'scope', 'expires_at as expiresAt'])
    .where('id', '=', id)
    .where('revoked_at', 'is', null),
);

const one = statement<{ id: string }>()((db, { id }) => db.selectFrom('api_key').select(columns).where('id', '=', id));

const list = statement()((db) => db.selectFrom('api_key').select(columns).orderBy('created_at').orderBy('id'));

const revoke = statement<{ id: string; at: string }>()((db, { id, at }) =>
  db
    .updateTable('api_key')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(at)) }))
    .where('id', '=', id)
    .returning(columns),
);

const rotate = statement<{ id: string; secretHash: Uint8Array; at: string }>()((db, { id, secretHash, at }) =>
  db
    .updateTable('api_key')
    .set({ secret_hash: secretHash, rotated_at: at })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning(columns),
);

type Row = Omit<KeyRecord, 'scope'> & { scope: string };

/** Only scopes are ever written into the column. */
const record = (row: Row): KeyRecord => ({ ...row, scope: row.scope as Scope });

export async function insertKey(
  executor: Executor,
  key: Pick<KeyRecord, 'id' | 'name' | 'scope' | 'createdAt' | 'expiresAt'> & { secretHash: Uint8Array },
): Promise<void> {
  await executor.all(insert, key);
}

/** The credentials of a key that is not revoked, or undefined. */
export async function findCredentials(executor: Executor, id: string): Promise<KeyCredentials | undefined> {
  const row = await first(executor, credentials, { id });
  return row === undefined ? undefined : { ...row, scope: row.scope as Scope };
}

export async function findKey(executor: Executor, id: string): Promise<KeyRecord | undefined> {
  const row = await first(executor, one, { id });
  return row === undefined ? undefined : record(row);
}

/** All keys, the revoked ones too, oldest first. */
export async function selectKeys(executor: Executor): Promise<KeyRecord[]> {
  const rows = await executor.all(list, {});
  return rows.map(record);
}

/** Revokes a key; one that is revoked already keeps its time. Undefined where there is no such key. */
export async function markRevoked(executor: Executor, id: string, at: string): Promise<KeyRecord | undefined> {
  const row = await first(executor, revoke, { id, at });
  return row === undefined ? undefined : record(row);
}

/** Replaces the hash of a key that is not revoked. Undefined where there is none. */
export async function replaceSecret(
  executor: Executor,
  id: string,
  secretHash: Uint8Array,
  at: string,
): Promise<KeyRecord | undefined> {
  const row = await first(executor, rotate, { id, secretHash, at });
  return row === undefined ? undefined : record(row);
}
