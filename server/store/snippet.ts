import type { ListedSnippet, Snippet } from '@rolecall/api';
import { type InferResult, type Kysely, sql } from 'kysely';
import { batchSize, changeInBatches } from './batches.ts';
import { type Fields, rowOf } from './columns.ts';
import { findBy, runBy, runWith } from './operations.ts';
import { pageRows, textPages } from './pages.ts';
import { personColumns, personOrNull } from './references.ts';
import { statement } from './statement.ts';
import type { Executor } from './store.ts';
import type { Tables } from './tables.ts';

const changing = [
  'active_version_id as activeVersionId',
  'is_locked as isLocked',
  'public_access_level as publicAccessLevel',
  'owner_person_id as ownerPersonId',
  'owner_role_id as ownerRoleId',
  'updated_at as updatedAt',
] as const;
const columns = ['id', ...changing, 'created_at as createdAt'] as const;

type Parameters = Fields<'snippet', typeof columns>;

/** A snippet's own row: what a change works on. */
export type SnippetRow = Omit<Parameters, 'isLocked'> & { isLocked: boolean };

const insert = runWith<Parameters>((db, snippet) => db.insertInto('snippet').values(rowOf(columns, snippet)));

const update = runWith<Parameters>((db, snippet) =>
  db.updateTable('snippet').set(rowOf(changing, snippet)).where('id', '=', snippet.id),
);

export const findSnippetRow = findBy(
  ['id'],
  (db, { id }) => db.selectFrom('snippet').select(columns).where('id', '=', id),
  (row): SnippetRow => ({ ...row, isLocked: row.isLocked === 1 }),
);

/** Snippets with their owner and their active version, without its text. */
export const listedSnippets = (db: Kysely<Tables>) =>
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
      'version.name',
      'version.description',
      ...personColumns,
      'role.id as roleId',
      'role.name as roleName',
    ]);

const shown = (db: Kysely<Tables>) => listedSnippets(db).select(['version.id as versionId', 'version.text']);

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

/** Leaves the snippets of an owner without one. @returns them */
const disown = (owner: 'owner_person_id' | 'owner_role_id') =>
  changeInBatches(['id'], batchSize.rows, (db, { id }, limit) =>
    db
      .updateTable('snippet')
      .set({ [owner]: null })
      .where('id', 'in', db.selectFrom('snippet').select('id').where(owner, '=', id).limit(limit))
      .returning((eb) => [
        'id',
        eb
          .selectFrom('snippet_version')
          .select('snippet_version.name')
          .whereRef('snippet_version.id', '=', 'snippet.active_version_id')
          .$asScalar()
          .$notNull()
          .as('name'),
      ]),
  );

export const disownPersonSnippets = disown('owner_person_id');

export const disownRoleSnippets = disown('owner_role_id');

export const deleteSnippet = runBy(['id'], (db, { id }) => db.deleteFrom('snippet').where('id', '=', id));

export async function insertSnippet(executor: Executor, snippet: SnippetRow): Promise<void> {
  await insert(executor, toParameters(snippet));
}

export async function updateSnippet(executor: Executor, snippet: SnippetRow): Promise<void> {
  await update(executor, toParameters(snippet));
}

/** The list also names each version's data source: none, since this API has no call that sets one. */
export const snippetPages = textPages(sizes, list, {}, (row): ListedSnippet => {
  const shownSnippet = snippet(row);
  return { ...shownSnippet, activeVersion: { ...shownSnippet.activeVersion, dataSource: null } };
});

function snippet(row: InferResult<ReturnType<typeof shown>>[number]): Snippet {
  const { id, versionId, name, description, text, publicAccessLevel, roleId, roleName, createdAt, updatedAt } = row;
  return {
    id,
    activeVersion: { id: versionId, name, description, text },
    isLocked: row.isLocked === 1,
    publicAccessLevel,
    ownerPerson: personOrNull(row),
    ownerRole: roleId === null || roleName === null ? null : { id: roleId, name: roleName },
    createdAt,
    updatedAt,
  };
}

function toParameters(snippetRow: SnippetRow): Parameters {
  return { ...snippetRow, isLocked: snippetRow.isLocked ? 1 : 0 };
}
