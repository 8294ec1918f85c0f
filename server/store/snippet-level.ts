import type { MySnippet } from '@rolecall/api';
import { sql } from 'kysely';
import { holdsAt } from './membership-window.ts';
import { findBy } from './operations.ts';
import { listedSnippets } from './snippet.ts';
import { statement } from './statement.ts';
import type { Executor } from './store.ts';

/** Level of a person for a snippet: owners have all, as do members of the role that owns it; others what the snippet grants. */
const levelFor = (person: string, now: string) =>
  sql<string>`case when snippet.owner_person_id = ${person} or exists (
    select 1 from role_person where role_person.role_id = snippet.owner_role_id and role_person.person_id = ${person}
      and ${holdsAt(now)}
  ) then 'manage' else snippet.public_access_level end`;

/** The level of a person on a snippet; undefined if they may not even read it, or there is none. */
export const findSnippetLevel = findBy(
  ['id', 'person', 'now'],
  (db, { id, person, now }) =>
    db
      .selectFrom('snippet')
      .select(['is_locked as isLocked', levelFor(person, now).as('level')])
      .where('id', '=', id)
      .where(levelFor(person, now), '!=', 'none'),
  ({ isLocked, level }) => ({ isLocked: isLocked === 1, level: level as MySnippet['level'] }),
);

const list = statement<{ person: string; now: string; limit: number }>()((db, { person, now, limit }) =>
  listedSnippets(db)
    .select(levelFor(person, now).as('level'))
    .where(levelFor(person, now), '!=', 'none')
    .orderBy('snippet.seq', 'desc')
    .limit(limit),
);

/** The newest snippets that a person may read, without their texts. */
export async function selectReadableSnippets(executor: Executor, person: string, limit: number) {
  return executor.all(list, { person, now: (await executor.now()).toISOString(), limit });
}

/** Finds out whether a person has a role, at a time of the store. */
export const findOwnRole = findBy(['role', 'person', 'now'], (db, { role, person, now }) =>
  db
    .selectFrom('role_person')
    .select('role_id')
    .where('role_id', '=', role)
    .where('person_id', '=', person)
    .where(holdsAt(now)),
);

const ownCount = statement<{ person: string }>()((db, { person }) =>
  db
    .selectFrom('snippet')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('owner_person_id', '=', person),
);

const versionCount = statement<{ snippet: string }>()((db, { snippet }) =>
  db
    .selectFrom('snippet_version')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('snippet_id', '=', snippet),
);

/** Counts the snippets that a person owns. */
export async function countSnippetsOf(executor: Executor, person: string): Promise<number> {
  return Number((await executor.all(ownCount, { person }))[0]?.count);
}

/** Counts the versions of a snippet. */
export async function countVersionsOf(executor: Executor, snippet: string): Promise<number> {
  return Number((await executor.all(versionCount, { snippet }))[0]?.count);
}
