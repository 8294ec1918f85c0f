import type { InferResult, Kysely } from 'kysely';
import { batchSize, changeInBatches } from './batches.ts';
import { type Fields, rowOf } from './columns.ts';
import { changeBy, findBy, listBy, runWith } from './operations.ts';
import { endOfSession, type SessionTimes } from './person-session.ts';
import type { Executor } from './store.ts';
import type { Tables } from './tables.ts';

/** A password for the gateway, as it is stored. Times are ISO 8601. */
export type StoredPassword = Fields<'gateway_password', typeof ownColumns>;

/** A password with the names that clients give for its person and data source, where that leads, and the times of its session. */
export interface NamedPassword extends StoredPassword {
  readonly username: string;
  readonly sourceName: string;
  readonly sourceAlias: string | null;
  /** As in `SealedDataSource`. */
  readonly sourceUri: Uint8Array;
  readonly sessionTimes: SessionTimes;
}

const ownColumns = [
  'gateway_password.id',
  'gateway_password.person_id as person',
  'gateway_password.data_source_id as dataSource',
  'session_id as session',
  'sealed',
  'gateway_password.created_at as createdAt',
  'gateway_password.expires_at as expiresAt',
] as const;

const columns = [
  ...ownColumns,
  'person.username',
  'data_source.name as sourceName',
  'data_source.alias as sourceAlias',
  'data_source.sealed_uri as sourceUri',
  'person_session.expires_at as sessionExpiresAt',
  'last_used_at as sessionUsedAt',
  'idle_seconds as sessionIdleSeconds',
] as const;

const named = (db: Kysely<Tables>) =>
  db
    .selectFrom('gateway_password')
    .innerJoin('person', 'person.id', 'gateway_password.person_id')
    .innerJoin('data_source', 'data_source.id', 'gateway_password.data_source_id')
    .innerJoin('person_session', 'person_session.id', 'session_id')
    .select(columns);

export const insertPassword = runWith<StoredPassword>((db, password) =>
  db.insertInto('gateway_password').values(rowOf(ownColumns, password)),
);

/** The passwords of a person, the newest first. */
export const selectPasswordsOf = listBy(
  ['person'],
  (db, { person }) =>
    named(db)
      .where('gateway_password.person_id', '=', person)
      .orderBy('gateway_password.created_at', 'desc')
      .orderBy('gateway_password.id', 'desc'),
  show,
);

/** The passwords of the person with this username, for the data sources with this alias, name or identifier. */
export const selectPasswordsNamed = listBy(
  ['usernameKey', 'dataSource'],
  (db, { usernameKey, dataSource }) =>
    named(db)
      .where('person.username_key', '=', usernameKey)
      .where((eb) =>
        eb.or([
          eb('data_source.alias', '=', dataSource),
          eb('data_source.name', '=', dataSource),
          eb('data_source.id', '=', dataSource),
        ]),
      ),
  show,
);

/** True if a password opens connections at this moment: neither it nor its session is over. @param now in milliseconds since 1970 */
export function isUsable({ expiresAt, sessionTimes }: Pick<NamedPassword, 'expiresAt' | 'sessionTimes'>, now: number) {
  return now < Date.parse(expiresAt) && now < endOfSession(sessionTimes);
}

function show({
  sessionExpiresAt,
  sessionUsedAt,
  sessionIdleSeconds,
  ...row
}: InferResult<ReturnType<typeof named>>[number]): NamedPassword {
  const times = { expiresAt: sessionExpiresAt, lastUsedAt: sessionUsedAt, idleSeconds: sessionIdleSeconds };
  return { ...row, sessionTimes: times };
}

/** A password that belongs to this person. */
export const findPasswordOf = findBy(['id', 'person'], (db, { id, person }) =>
  db.selectFrom('gateway_password').select('id').where('id', '=', id).where('person_id', '=', person),
);

/** Those of these passwords that there still are. */
export async function selectPresentPasswords(executor: Executor, ids: readonly string[]): Promise<Set<string>> {
  const rows = await executor.db.selectFrom('gateway_password').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}

/** @returns whether there was one */
export const deletePassword = changeBy(['id'], (db, { id }) =>
  db.deleteFrom('gateway_password').where('id', '=', id).returning('id'),
);

/** Deletes what is over, so that the table does not grow. */
export const deleteExpiredPasswords = listBy(['now'], (db, { now }) =>
  db.deleteFrom('gateway_password').where('expires_at', '<=', now).returning('id'),
);

const deleteOf = (owner: 'person_id' | 'data_source_id') =>
  changeInBatches(['id'], batchSize.rows, (db, { id }, limit) => {
    const some = db.selectFrom('gateway_password').select('id').where(owner, '=', id).limit(limit);
    return db.deleteFrom('gateway_password').where('id', 'in', some).returning('id');
  });

export const deletePersonPasswords = deleteOf('person_id');

export const deleteDataSourcePasswords = deleteOf('data_source_id');
