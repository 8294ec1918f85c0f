import type { FactorKind, PersonReference } from '@rolecall/api';
import type { InferResult, Kysely } from 'kysely';
import { type Fields, rowOf } from './columns.ts';
import { changeBy, findBy, listBy, runBy, runWith } from './operations.ts';
import { statement } from './statement.ts';
import { type Executor, first } from './store.ts';
import type { Tables } from './tables.ts';

const columns = [
  'person_session.id',
  'token_hash as tokenHash',
  'person_session.person_id as personId',
  'kind',
  'state',
  'factors',
  'person_session.created_at as createdAt',
  'last_used_at as lastUsedAt',
  'idle_seconds as idleSeconds',
  'proven_at as provenAt',
  'expires_at as expiresAt',
  'address',
  'client',
  'provider_session as providerSession',
  'mac',
] as const;

type Row = Fields<'person_session', typeof columns>;

export type SessionState = Row['state'];

/** Decide when a session is over. */
export type SessionTimes = Pick<Row, 'expiresAt' | 'lastUsedAt' | 'idleSeconds'>;

/** Seconds that a session which an older version opened lives without a request. */
export const defaultIdleSeconds = 3600;

/**
 * The moment at which a session is over, if it is not used until then, in milliseconds since 1970. From then on it counts nowhere: not
 * on the page, not at the gateway, in no list. Its row stays until its longest life is over: ending the sessions of a person must also
 * end the connections that this one has opened.
 */
export function endOfSession({ expiresAt, lastUsedAt, idleSeconds }: SessionTimes): number {
  return Math.min(Date.parse(expiresAt), Date.parse(lastUsedAt) + (idleSeconds ?? defaultIdleSeconds) * 1000);
}

/** A session as it is stored. Times are ISO 8601. */
export interface NewSession extends Omit<Row, 'factors'> {
  readonly factors: readonly FactorKind[];
}

/** A session with its person. */
export interface StoredSession extends Omit<NewSession, 'personId'> {
  readonly person: PersonReference;
  readonly isLocked: boolean;
}

/** Sessions with their people. */
const shown = (db: Kysely<Tables>) =>
  db
    .selectFrom('person_session')
    .innerJoin('person', 'person.id', 'person_session.person_id')
    .select([...columns, 'person.name as personName', 'username', 'email', 'is_locked as isLocked']);

const byToken = statement<{ hash: Uint8Array }>()((db, { hash }) => shown(db).where('token_hash', '=', hash));

export async function findSessionByToken(executor: Executor, hash: Uint8Array): Promise<StoredSession | undefined> {
  const row = await first(executor, byToken, { hash });
  return row && session(row);
}

/** The sessions of a person, the newest first. */
export const selectSessionsOf = listBy(
  ['person'],
  (db, { person }) => shown(db).where('person_id', '=', person).orderBy('person_session.created_at', 'desc'),
  session,
);

export const selectAllSessions = listBy([], (db) => shown(db).orderBy('person_session.created_at', 'desc'), session);

/** The sessions of these identifiers that there are. */
export async function selectSessions(executor: Executor, ids: readonly string[]): Promise<StoredSession[]> {
  const rows = await shown(executor.db).where('person_session.id', 'in', ids).execute();
  return rows.map(session);
}

/** Those of these sessions that there still are, with the moment of `endOfSession`. */
export async function selectSessionEnds(executor: Executor, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await executor.db
    .selectFrom('person_session')
    .select(['id', 'expires_at as expiresAt', 'last_used_at as lastUsedAt', 'idle_seconds as idleSeconds'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, ...times }) => [id, endOfSession(times)]));
}

/** A session that belongs to this person. */
export const findSessionOf = findBy(['id', 'person'], (db, { id, person }) =>
  db.selectFrom('person_session').select('id').where('id', '=', id).where('person_id', '=', person),
);

const insert = runWith<Row>((db, row) => db.insertInto('person_session').values(rowOf(columns, row)));

export async function insertSession(executor: Executor, session: NewSession): Promise<void> {
  await insert(executor, { ...session, factors: session.factors.join(' ') });
}

/** Notes that sessions were used. */
export async function touchSessions(
  { db }: Executor,
  ids: readonly string[],
  { at, idleSeconds }: { at: string; idleSeconds: number },
): Promise<void> {
  await db
    .updateTable('person_session')
    .set({ last_used_at: at, idle_seconds: idleSeconds })
    .where('id', 'in', ids)
    .where('last_used_at', '<', at)
    .execute();
}

/** @returns whether there was one */
export const deleteSession = changeBy(['id'], (db, { id }) =>
  db.deleteFrom('person_session').where('id', '=', id).returning('id'),
);

/** Deletes the sessions of a person. @returns how many there were */
export const deleteSessionsOf = listBy(['person'], (db, { person }) =>
  db.deleteFrom('person_session').where('person_id', '=', person).returning('id'),
);

/** Deletes the sessions that an invitation opened: those in which no factor was proven yet. */
export const deleteInvitedSessions = listBy(['person'], (db, { person }) =>
  db
    .deleteFrom('person_session')
    .where('person_id', '=', person)
    .where('state', '=', 'enrolling')
    .where('factors', '=', '')
    .returning('id'),
);

/** Deletes the sessions that an OpenID provider has ended. */
export const deleteSessionsOfProvider = listBy(['session'], (db, { session: name }) =>
  db.deleteFrom('person_session').where('provider_session', '=', name).returning(['id', 'person_id as person']),
);

/** Deletes the sessions of a person that came from an OpenID provider which gave no session of its own. */
export const deleteSessionsOfIssuer = listBy(['person', 'issuer'], (db, { person, issuer }) =>
  db
    .deleteFrom('person_session')
    .where('person_id', '=', person)
    .where('provider_session', '=', issuer)
    .returning(['id', 'person_id as person']),
);

export const deleteAllSessions = runBy([], (db) => db.deleteFrom('person_session'));

/** Deletes what is over, so that the table does not grow. */
export const deleteExpiredSessions = listBy(['now'], (db, { now }) =>
  db.deleteFrom('person_session').where('expires_at', '<=', now).returning('id'),
);

/** A factor that the service does not know was not written by it, and such a row's MAC does not match. */
function session({
  personId,
  personName,
  username,
  email,
  isLocked,
  factors,
  ...row
}: InferResult<ReturnType<typeof shown>>[number]): StoredSession {
  return {
    ...row,
    person: { id: personId, name: personName, username, email },
    isLocked: isLocked === 1,
    factors: factors === '' ? [] : (factors.split(' ') as FactorKind[]),
  };
}
