import { type Fields, rowOf } from './columns.ts';
import { findBy, findWith, listBy, runBy, runWith } from './operations.ts';
import type { Executor } from './store.ts';

const columns = [
  'id',
  'kind',
  'token_hash as tokenHash',
  'person_id as person',
  'sealed',
  'lookup',
  'created_at as createdAt',
  'expires_at as expiresAt',
] as const;

/** A token that works once, as it is stored. Times are ISO 8601. */
export type StoredToken = Fields<'one_time_token', typeof columns>;

export const insertToken = runWith<StoredToken>((db, token) =>
  db.insertInto('one_time_token').values(rowOf(columns, token)),
);

/** Finds a token without using it up. */
export const findToken = findWith<{ hash: Uint8Array }>()((db, { hash }) =>
  db.selectFrom('one_time_token').select(columns).where('token_hash', '=', hash),
);

/** Uses a token up: of two that come at once, one finds it. */
export const takeToken = findWith<{ hash: Uint8Array }>()((db, { hash }) =>
  db.deleteFrom('one_time_token').where('token_hash', '=', hash).returning(columns),
);

export const findTokenByLookup = findBy(['lookup'], (db, { lookup }) =>
  db.selectFrom('one_time_token').select(columns).where('lookup', '=', lookup),
);

export const updateTokenSeal = runWith<{ id: string; sealed: Uint8Array }>((db, { id, sealed }) =>
  db.updateTable('one_time_token').set({ sealed }).where('id', '=', id),
);

const counted = findBy(['kind'], (db, { kind }) =>
  db
    .selectFrom('one_time_token')
    .select((eb) => eb.fn.count('id').as('count'))
    .where('kind', '=', kind),
);

/** Counts the tokens of a kind: what anyone may make needs a bound. */
export async function countTokens(executor: Executor, kind: string): Promise<number> {
  return Number((await counted(executor, kind))?.count ?? 0);
}

/** Deletes a person's tokens of one kind, so that a newer one replaces them. */
export const deleteTokensOf = listBy(['person', 'kind'], (db, { person, kind }) =>
  db.deleteFrom('one_time_token').where('person_id', '=', person).where('kind', '=', kind).returning('id'),
);

export const deleteAllTokens = runBy([], (db) => db.deleteFrom('one_time_token'));

/** Deletes what is over. */
export const deleteExpiredTokens = listBy(['now'], (db, { now }) =>
  db.deleteFrom('one_time_token').where('expires_at', '<=', now).returning('id'),
);

/** People who are not locked, each with the invitation that is open at `now`. */
const selectPeople = listBy(
  ['now'],
  (db, { now }) =>
    db
      .selectFrom('person')
      .leftJoin('one_time_token as invitation', (join) =>
        join
          .onRef('invitation.person_id', '=', 'person.id')
          .on('invitation.kind', '=', 'invitation')
          .on('invitation.expires_at', '>', now),
      )
      .select([
        'person.id',
        'person.name',
        'person.username',
        'person.email',
        'invitation.created_at as invitedAt',
        'invitation.expires_at as expiresAt',
      ])
      .select((eb) =>
        eb
          .exists(
            eb
              .selectFrom('sign_in_factor')
              .select('sign_in_factor.id')
              .whereRef('sign_in_factor.person_id', '=', 'person.id')
              .where('sign_in_factor.kind', 'in', ['password', 'passkey', 'oidc']),
          )
          .as('canSignIn'),
      )
      .where('person.is_locked', '=', 0)
      .orderBy('person.seq'),
  // SQLite answers 0 or 1.
  ({ canSignIn, ...row }) => ({ ...row, canSignIn: Boolean(canSignIn) }),
);

/** Those of them who have no way to sign in yet, or an open invitation. */
export async function selectInvited(executor: Executor, now: string) {
  const people = await selectPeople(executor, now);
  return people.filter(({ canSignIn, expiresAt }) => !canSignIn || expiresAt !== null);
}
