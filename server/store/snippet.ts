import type { AccessLevel, ListedSnippet, Snippet } from '@rolecall/api';
import { type Kysely, sql } from 'kysely';
import { changeBy, changeWith, findBy, listBy } from './operations.ts';
import { pageRows, textPages } from './pages.ts';
import { type MaybePerson, personOrNull } from './person-reference.ts';
import { statement } from './statement.ts';
import type { Executor } from './store.ts';
import type { Tables } from './tables.ts';

/** A snippet's own row: what a change works on. */
export interface SnippetRow {
  id: string;
  activeVersionId: string;
  isLocked: boolean;
  publicAccessLevel: AccessLevel;
  ownerPersonId: string | null;
  ownerRoleId: string | null;
  createdAt: string;
  updatedAt: string;
}

/** A snippet without its text. */
export interface DescribedSnippet extends Omit<Snippet, 'activeVersion'> {
  activeVersion: Pick<Snippet['activeVersion'], 'id' | 'name'>;
}

type Parameters = {
  id: string;
  activeVersionId: string;
  isLocked: number;
  publicAccessLevel: string;
  ownerPersonId: string | null;
  ownerRoleId: string | null;
  createdAt: string;
  updatedAt: string;
};

const insert = changeWith<Parameters>((db, snippet) =>
  db.insertInto('snippet').values({
    id: snippet.id,
    active_version_id: snippet.activeVersionId,
    is_locked: snippet.isLocked,
    public_access_level: snippet.publicAccessLevel,
    owner_person_id: snippet.ownerPersonId,
    owner_role_id: snippet.ownerRoleId,
    created_at: snippet.createdAt,
    updated_at: snippet.updatedAt,
  }),
);

const update = changeWith<Parameters>((db, snippet) =>
  db
    .updateTable('snippet')
    .set({
      active_version_id: snippet.activeVersionId,
      is_locked: snippet.isLocked,
      public_access_level: snippet.publicAccessLevel,
      owner_person_id: snippet.ownerPersonId,
      owner_role_id: snippet.ownerRoleId,
      updated_at: snippet.updatedAt,
    })
    .where('id', '=', snippet.id),
);

export const findSnippetRow = findBy(
  ['id'],
  (db, { id }) =>
    db
      .selectFrom('snippet')
      .select([
        'id',
        'active_version_id as activeVersionId',
        'is_locked as isLocked',
        'public_access_level as publicAccessLevel',
        'owner_person_id as ownerPersonId',
        'owner_role_id as ownerRoleId',
        'created_at as createdAt',
        'updated_at as updatedAt',
      ])
      .where('id', '=', id),
  (found): SnippetRow => ({ ...found, isLocked: found.isLocked === 1, publicAccessLevel: accessLevel(found) }),
);

const described = (db: Kysely<Tables>) =>
  db
    .selectFrom('snippet')
    .innerJoin('snippet_version as version', 'version.id', 'snippet.active_version_id')
    .leftJoin('person', 'person.id', 'snippet.owner_person_id')
    .leftJoin('role', 'role.id', 'snippet.owner_role_id')
    .select([
      'snippet.id',
      'snippet.is_locked as isLocked',
      'snippet.public_access_level as publicAccessLevel',
      'snippet.created_at as createdAt',
      'snippet.updated_at as updatedAt',
      'version.id as versionId',
      'version.name',
      'person.id as personId',
      'person.username',
      'person.email',
      'person.name as personName',
      'role.id as roleId',
      'role.name as roleName',
    ]);

const shown = (db: Kysely<Tables>) => described(db).select(['version.description', 'version.text']);

export const findSnippet = findBy(['id'], (db, { id }) => shown(db).where('snippet.id', '=', id), snippet);

const list = statement<{ after: number; upTo: number }>()((db, { after, upTo }) =>
  shown(db).where('snippet.seq', '>', after).where('snippet.seq', '<=', upTo).orderBy('snippet.seq'),
);

const sizes = statement<{ after: number }>()((db, { after }) =>
  db
    .selectFrom('snippet')
    .innerJoin('snippet_version as version', 'version.id', 'snippet.active_version_id')
    .select(['snippet.seq', sql<number>`octet_length(version.text)`.as('bytes')])
    .where('snippet.seq', '>', after)
    .orderBy('snippet.seq')
    .limit(pageRows),
);

/** The snippets that a person owns, without their texts. */
export const selectPersonSnippets = listBy(
  ['owner'],
  (db, { owner }) => described(db).where('snippet.owner_person_id', '=', owner).orderBy('snippet.seq'),
  describedSnippet,
);

/** The snippets that a role owns, without their texts. */
export const selectRoleSnippets = listBy(
  ['owner'],
  (db, { owner }) => described(db).where('snippet.owner_role_id', '=', owner).orderBy('snippet.seq'),
  describedSnippet,
);

/** @returns whether there was such a snippet */
export const deleteSnippet = changeBy(['id'], (db, { id }) =>
  db.deleteFrom('snippet').where('id', '=', id).returning('id'),
);

export async function insertSnippet(executor: Executor, snippet: SnippetRow): Promise<void> {
  await insert(executor, toParameters(snippet));
}

export async function updateSnippet(executor: Executor, snippet: SnippetRow): Promise<void> {
  await update(executor, toParameters(snippet));
}

/** The list also names each version's data source: none, since this API has no call that sets one. */
export const snippetPages = textPages(sizes, list, {}, (found): ListedSnippet => {
  const shownSnippet = snippet(found);
  return { ...shownSnippet, activeVersion: { ...shownSnippet.activeVersion, dataSource: null } };
});

interface DescribedRow extends MaybePerson {
  id: string;
  isLocked: number;
  publicAccessLevel: string;
  createdAt: string;
  updatedAt: string;
  versionId: string;
  name: string;
  roleId: string | null;
  roleName: string | null;
}

function describedSnippet(found: DescribedRow): DescribedSnippet {
  const { id, versionId, name, roleId, roleName, createdAt, updatedAt } = found;
  return {
    id,
    activeVersion: { id: versionId, name },
    isLocked: found.isLocked === 1,
    publicAccessLevel: accessLevel(found),
    ownerPerson: personOrNull(found),
    ownerRole: roleId === null || roleName === null ? null : { id: roleId, name: roleName },
    createdAt,
    updatedAt,
  };
}

function snippet(found: DescribedRow & { description: string; text: string }): Snippet {
  const { versionId, name, description, text } = found;
  return { ...describedSnippet(found), activeVersion: { id: versionId, name, description, text } };
}

function toParameters(snippetRow: SnippetRow): Parameters {
  return { ...snippetRow, isLocked: snippetRow.isLocked ? 1 : 0 };
}

/** The service writes only access levels into the column. */
function accessLevel({ publicAccessLevel }: { publicAccessLevel: string }): AccessLevel {
  return publicAccessLevel as AccessLevel;
}
