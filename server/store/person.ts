import { asciiEmail, type Person } from '@rolecall/api';
import type { Kysely } from 'kysely';
import { UniqueError } from './errors.ts';
import { findBy, runBy, runWith } from './operations.ts';
import { tablePages } from './pages.ts';
import { statement } from './statement.ts';
import type { Executor } from './store.ts';
import type { Tables } from './tables.ts';

const columns = ['id', 'name', 'username', 'email', 'created_at as createdAt', 'is_locked as isLocked'] as const;

/** Usernames and e-mail addresses as they are compared. */
type Keys = { readonly usernameKey: string; readonly emailKey: string };

type Row = Omit<Person, 'isLocked'> & { isLocked: number };

const insert = statement<Omit<Person, 'isLocked'> & Keys>()((db, person) =>
  db
    .insertInto('person')
    .values({
      id: person.id,
      name: person.name,
      username: person.username,
      username_key: person.usernameKey,
      email: person.email,
      email_key: person.emailKey,
      created_at: person.createdAt,
    })
    // A person who exists already has both. The username identifies them, and SQLite might name either.
    .onConflict((conflict) => conflict.column('username_key').doNothing())
    .returning('id'),
);

export const findPerson = findBy(
  ['id'],
  (db, { id }) => db.selectFrom('person').select(columns).where('id', '=', id),
  toPerson,
);

const idByKey = findBy(
  ['key'],
  (db, { key }) => db.selectFrom('person').select('id').where('username_key', '=', key),
  ({ id }) => id,
);

const idByEmailKey = findBy(
  ['key'],
  (db, { key }) => db.selectFrom('person').select('id').where('email_key', '=', key),
  ({ id }) => id,
);

/** The people after a number, in the order of creation. */
export const listPeople = (db: Kysely<Tables>, after: number) =>
  db
    .selectFrom('person')
    .select([...columns, 'seq'])
    .where('seq', '>', after)
    .orderBy('seq');

const update = runWith<Omit<Person, 'isLocked'> & Keys>((db, { id, name, username, usernameKey, email, emailKey }) =>
  db
    .updateTable('person')
    .set({ name, username, username_key: usernameKey, email, email_key: emailKey })
    .where('id', '=', id),
);

const setLocked = statement<{ id: string; locked: number }>()((db, { id, locked }) =>
  db
    .updateTable('person')
    .set({ is_locked: locked })
    .where('id', '=', id)
    .where('is_locked', '!=', locked)
    .returning('id'),
);

/** @param change.enabled 1 for a person who has a second factor, else 0 */
export const updateTwoFactor = runWith<{ person: string; enabled: number }>((db, { person: id, enabled }) =>
  db.updateTable('person').set({ two_factor_enabled: enabled }).where('id', '=', id),
);

const twoFactorEnabled = findBy(
  ['id'],
  (db, { id }) => db.selectFrom('person').select('two_factor_enabled as enabled').where('id', '=', id),
  ({ enabled }) => enabled === 1,
);

/** True if there is such a person and they have a second factor. */
export async function hasTwoFactor(executor: Executor, id: string): Promise<boolean> {
  return (await twoFactorEnabled(executor, id)) ?? false;
}

export const deletePerson = runBy(['id'], (db, { id }) => db.deleteFrom('person').where('id', '=', id));

/** Usernames and e-mail addresses are unique regardless of case, and of how their accents are composed. */
export function caseless(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** @throws UniqueError for `person.username_key` or `person.email_key` */
export async function insertPerson(executor: Executor, { isLocked: _new, ...person }: Person): Promise<void> {
  const rows = await executor.all(insert, { ...person, ...keysOf(person) });
  if (rows.length === 0) throw new UniqueError('person.username_key');
}

/** Changes name, username and e-mail address. @throws UniqueError for `person.username_key` or `person.email_key` */
export async function updatePerson(executor: Executor, { isLocked: _same, ...person }: Person): Promise<void> {
  await update(executor, { ...person, ...keysOf(person) });
}

function keysOf({ username, email }: Pick<Person, 'username' | 'email'>): Keys {
  return { usernameKey: caseless(username), emailKey: caseless(email) };
}

/** The identifier of the person with this username, in any case. */
export function findPersonByUsername(executor: Executor, username: string): Promise<string | undefined> {
  return idByKey(executor, caseless(username));
}

/** The identifier of the person with this e-mail address, in any case; its domain may be in any script. */
export function findPersonByEmail(executor: Executor, email: string): Promise<string | undefined> {
  return idByEmailKey(executor, caseless(asciiEmail(email)));
}

export const peoplePages = tablePages(listPeople, toPerson);

/** @returns whether there is such a person and this changed their lock */
export async function updatePersonLock(executor: Executor, id: string, locked: boolean): Promise<boolean> {
  const rows = await executor.all(setLocked, { id, locked: locked ? 1 : 0 });
  return rows.length > 0;
}

/** A row as the API shows it. */
export function toPerson({ id, name, username, email, createdAt, isLocked }: Row): Person {
  return { id, name, username, email, createdAt, isLocked: isLocked === 1 };
}
