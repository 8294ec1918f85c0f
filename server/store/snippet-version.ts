import type { SnippetVersion } from '@rolecall/api';
import { type Kysely, sql } from 'kysely';
import { type Pages, pageRows, textPages } from './pages.ts';
import { type MaybePerson, personOrNull } from './person-reference.ts';
import { statement } from './statement.ts';
import { type Executor, first } from './store.ts';
import type { Tables } from './tables.ts';

export interface NewVersion {
  id: string;
  snippetId: string;
  name: string;
  description: string;
  text: string;
  createdByPersonId: string | null;
  createdAt: string;
}

export type NamedVersion = Pick<SnippetVersion, 'id' | 'name'>;

const insert = statement<{
  id: string;
  snippetId: string;
  name: string;
  description: string;
  text: string;
  createdByPersonId: string | null;
  createdAt: string;
}>()((db, version) =>
  db.insertInto('snippet_version').values({
    id: version.id,
    snippet_id: version.snippetId,
    name: version.name,
    description: version.description,
    text: version.text,
    created_by_person_id: version.createdByPersonId,
    created_at: version.createdAt,
  }),
);

const shown = (db: Kysely<Tables>) =>
  db
    .selectFrom('snippet_version as version')
    .leftJoin('person', 'person.id', 'version.created_by_person_id')
    .select([
      'version.id',
      'version.snippet_id as snippetId',
      'version.name',
      'version.description',
      'version.text',
      'version.created_at as createdAt',
      'person.id as personId',
      'person.username',
      'person.email',
      'person.name as personName',
    ]);

const one = statement<{ snippet: string; id: string }>()((db, { snippet, id }) =>
  shown(db).where('version.id', '=', id).where('version.snippet_id', '=', snippet),
);

const list = statement<{ snippet: string; after: number; upTo: number }>()((db, { snippet, after, upTo }) =>
  shown(db)
    .where('version.snippet_id', '=', snippet)
    .where('version.seq', '>', after)
    .where('version.seq', '<=', upTo)
    .orderBy('version.seq'),
);

const sizes = statement<{ snippet: string; after: number }>()((db, { snippet, after }) =>
  db
    .selectFrom('snippet_version')
    .select(['seq', sql<number>`octet_length(text)`.as('bytes')])
    .where('snippet_id', '=', snippet)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(pageRows),
);

const names = statement<{ snippet: string }>()((db, { snippet }) =>
  db.selectFrom('snippet_version').select(['id', 'name']).where('snippet_id', '=', snippet).orderBy('seq'),
);

const namesByCreator = statement<{ person: string }>()((db, { person }) =>
  db.selectFrom('snippet_version').select(['id', 'name']).where('created_by_person_id', '=', person).orderBy('seq'),
);

export async function insertSnippetVersion(executor: Executor, version: NewVersion): Promise<void> {
  await executor.all(insert, { ...version });
}

/** A version of this snippet; one of another snippet is as good as none. */
export async function findSnippetVersion(
  executor: Executor,
  snippet: string,
  id: string,
): Promise<SnippetVersion | undefined> {
  // UUIDs may be written in capitals; the store has them in small letters.
  const row = await first(executor, one, { snippet, id: id.toLowerCase() });
  return row === undefined ? undefined : version(row);
}

/** The versions of a snippet, without their texts. */
export async function selectSnippetVersions(executor: Executor, snippet: string): Promise<NamedVersion[]> {
  return executor.all(names, { snippet });
}

export function snippetVersionPages(snippet: string): Pages<SnippetVersion & { dataSource: null }> {
  // No call of this API sets the data source of a version.
  return textPages(sizes, list, { snippet }, (row) => ({ ...version(row), dataSource: null }));
}

/** The versions that a person made, without their texts. */
export async function selectVersionsBy(executor: Executor, person: string): Promise<NamedVersion[]> {
  return executor.all(namesByCreator, { person });
}

type Row = Omit<SnippetVersion, 'createdBy'> & MaybePerson;

function version(row: Row): SnippetVersion {
  const { id, snippetId, name, description, text, createdAt } = row;
  return { id, snippetId, name, description, text, createdAt, createdBy: personOrNull(row) };
}
