import type { FactorKind } from '@rolecall/api';
import { changeBy, findBy, listBy, runBy, runWith } from './operations.ts';
import { type PersonColumns, personColumns } from './references.ts';
import { statement } from './statement.ts';
import { type Executor, first } from './store.ts';

export type SessionState = 'pending' | 'enrolling' | 'whole';

/** A session as it is stored, with its person. Times are ISO 8601. */
export interface StoredSession {
  readonly id: string;
  readonly tokenHash: Uint8Array;
  readonly person: { readonly id: string; readonly name: string; readonly username: string; readonly email: string };
  readonly isLocked: boolean;
  readonly kind: 'browser' | 'command_line';
  readonly state: SessionState;
  readonly factors: readonly FactorKind[];
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly provenAt: string;
  readonly expiresAt: string;
  readonly address: string;
  readonly client: string;
  /** Issuer and session of an OpenID provider, or the issuer alone if it gives no session; null without a provider. */
  readonly providerSession: string | null;
  readonly mac: Uint8Array;
}

export type NewSession = Omit<StoredSession, 'person' | 'isLocked'> & { readonly personId: string };

const columns = [
  'person_session.id',
  'token_hash as tokenHash',
  ...personColumns,
  'person.is_locked as isLocked',
  'kind',
  'state',
  'factors',
  'person_session.created_at as createdAt',
  'last_used_at as lastUsedAt',
  'proven_at as provenAt',
  'expires_at as expiresAt',
  'address',
  'client',
  'provider_session as providerSession',
  'mac',
] as const;

const byToken = statement<{ hash: Uint8Array }>()((db, { hash }) =>
  db
    .selectFrom('person_session')
    .innerJoin('person', 'person.id', 'person_session.person_id')
    .select(columns)
    .where('token_hash', '=', hash),
);

export async function findSessionByToken(executor: Executor, hash: Uint8Array): Promise<StoredSession | undefined> {
  const row = await first(executor, byToken, { hash });
  return row === undefined ? undefined : session(row);
}

/** The sessions of a person, the newest first. */
export const selectSessionsOf = listBy(
  ['person'],
  (db, { person }) =>
    db
      .selectFrom('person_session')
      .innerJoin('person', 'person.id', 'person_session.person_id')
      .select(columns)
      .where('person_id', '=', person)
      .orderBy('person_session.created_at', 'desc'),
  (row) => session(row),
);

export const selectAllSessions = listBy(
  [],
  (db) =>
    db
      .selectFrom('person_session')
      .innerJoin('person', 'person.id', 'person_session.person_id')
      .select(columns)
      .orderBy('person_session.created_at', 'desc'),
  (row) => session(row),
);

/** The sessions of these identifiers that there are. */
export async function selectSessions(executor: Executor, ids: readonly string[]): Promise<StoredSession[]> {
  const rows = await executor.db
    .selectFrom('person_session')
    .innerJoin('person', 'person.id', 'person_session.person_id')
    .select(columns)
    .where('person_session.id', 'in', ids)
    .execute();
  return rows.map(session);
}

/** Those of these sessions that there still are. */
export async function selectPresentSessions(executor: Executor, ids: readonly string[]): Promise<Set<string>> {
  const rows = await executor.db.selectFrom('person_session').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}

/** A session that belongs to this person. */
export const findSessionOf = findBy(['id', 'person'], (db, { id, person }) =>
  db.selectFrom('person_session').select('id').where('id', '=', id).where('person_id', '=', person),
);

type Row = Omit<NewSession, 'factors'> & { readonly factors: string };

const insert = runWith<Row>((db, one) =>
  db.insertInto('person_session').values({
    id: one.id,
    token_hash: one.tokenHash,
    person_id: one.personId,
    kind: one.kind,
    state: one.state,
    factors: one.factors,
    created_at: one.createdAt,
    last_used_at: one.lastUsedAt,
    proven_at: one.provenAt,
    expires_at: one.expiresAt,
    address: one.address,
    client: one.client,
    provider_session: one.providerSession,
    mac: one.mac,
  }),
);

export async function insertSession(executor: Executor, one: NewSession): Promise<void> {
  await insert(executor, { ...one, factors: one.factors.join(' ') });
}

/** Notes that a session was used. */
export const touchSession = runWith<{ id: string; at: string }>((db, { id, at }) =>
  db.updateTable('person_session').set({ last_used_at: at }).where('id', '=', id),
);

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

type SelectedRow = PersonColumns &
  Omit<StoredSession, 'person' | 'isLocked' | 'kind' | 'state' | 'factors'> &
  Readonly<Record<'kind' | 'state' | 'factors', string>> & { readonly isLocked: number };

/** A kind, state or factor that the service does not know was not written by it, and such a row's MAC does not match. */
function session({ personId, personName, username, email, isLocked, factors, ...row }: SelectedRow): StoredSession {
  return {
    ...row,
    person: { id: personId, name: personName, username, email },
    isLocked: isLocked === 1,
    kind: row.kind as StoredSession['kind'],
    state: row.state as SessionState,
    factors: factors === '' ? [] : (factors.split(' ') as FactorKind[]),
  };
}
