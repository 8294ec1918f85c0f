import type { SnippetVersion } from '@rolecall/api';
import type { Kysely } from 'kysely';
import { batchSize, changeInBatches } from './batches.ts';
import { type Fields, rowOf } from './columns.ts';
import { findBy, runWith } from './operations.ts';
import { type Pages, textPages, textSizes } from './pages.ts';
import { type MaybePerson, personColumns, personOrNull } from './references.ts';
import { statement } from './statement.ts';
import type { Executor } from './store.ts';
import type { Tables } from './tables.ts';

const columns = [
  'version.id',
  'version.snippet_id as snippetId',
  'version.name',
  'version.description',
  'version.text',
  'version.created_at as createdAt',
] as const;

export type NewVersion = Fields<'snippet_version', typeof columns> & { readonly createdByPersonId: string | null };

export const insertSnippetVersion = runWith<NewVersion>((db, version) =>
  db
    .insertInto('snippet_version')
    .values({ ...rowOf(columns, version), created_by_person_id: version.createdByPersonId }),
);

const shown = (db: Kysely<Tables>) =>
  db
    .selectFrom('snippet_version as version')
    .leftJoin('person', 'person.id', 'version.created_by_person_id')
    .select([...columns, ...personColumns]);

const findVersion = findBy(
  ['snippet', 'id'],
  (db, { snippet, id }) => shown(db).where('version.id', '=', id).where('version.snippet_id', '=', snippet),
  version,
);

const list = statement<{ snippet: string; after: number; upTo: number }>()((db, { snippet, after, upTo }) =>
  shown(db)
    .where('version.snippet_id', '=', snippet)
    .where('version.seq', '>', after)
    .where('version.seq', '<=', upTo)
    .orderBy('version.seq'),
);

/** Deletes the versions of a snippet. @returns them without their texts */
export const deleteSnippetVersions = changeInBatches(['snippet'], batchSize.texts, (db, { snippet }, limit) =>
  db
    .deleteFrom('snippet_version')
    .where('id', 'in', db.selectFrom('snippet_version').select('id').where('snippet_id', '=', snippet).limit(limit))
    .returning(['id', 'name']),
);

/** Leaves the versions that a person made without a maker. @returns them without their texts */
export const disownVersions = changeInBatches(['person'], batchSize.texts, (db, { person }, limit) =>
  db
    .updateTable('snippet_version')
    .set({ created_by_person_id: null })
    .where(
      'id',
      'in',
      db.selectFrom('snippet_version').select('id').where('created_by_person_id', '=', person).limit(limit),
    )
    .returning(['id', 'name']),
);

/** A version of this snippet; undefined for a version of another one. */
export function findSnippetVersion(
  executor: Executor,
  snippet: string,
  id: string,
): Promise<SnippetVersion | undefined> {
  // UUIDs may come in upper case; the store has them in lower case.
  return findVersion(executor, snippet, id.toLowerCase());
}

const sizes = textSizes('snippet_version', 'snippet', 'text');

export function snippetVersionPages(snippet: string): Pages<SnippetVersion & { dataSource: null }> {
  // No call of this API sets the data source of a version.
  return textPages(sizes, list, { snippet }, (row) => ({
    ...version(row),
    dataSource: null,
  }));
}

type Row = Omit<SnippetVersion, 'createdBy'> & MaybePerson;

function version(row: Row): SnippetVersion {
  const { id, snippetId, name, description, text, createdAt } = row;
  return { id, snippetId, name, description, text, createdAt, createdBy: personOrNull(row) };
}
