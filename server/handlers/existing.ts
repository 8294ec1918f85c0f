import type { Route } from '@rolecall/api';
import type { List } from '../pages.ts';
import { notFound, Refusal } from '../refusal.ts';
import { findDataSource, findSealedDataSource } from '../store/data-source.ts';
import { findEditor } from '../store/editor.ts';
import type { Pages } from '../store/pages.ts';
import { findPermission } from '../store/permission.ts';
import { findPerson } from '../store/person.ts';
import { findQueryDataSource } from '../store/query.ts';
import { findRole } from '../store/role.ts';
import { findSnippet, findSnippetRow } from '../store/snippet.ts';
import type { Executor, MaybePromise, Store } from '../store/store.ts';
import type { RequestStore } from './handler.ts';

/** Makes a function that finds an object or throws Refusal not_found. @param word as in "person" */
function existing<T>(word: string, find: (executor: Executor, id: string) => MaybePromise<T | undefined>) {
  return async (executor: Executor, id: string): Promise<T> => {
    const row = await find(executor, id);
    if (row === undefined) throw notFound(word, id);
    return row;
  };
}

export const existingPerson = existing('person', findPerson);
export const existingDataSource = existing('data source', findDataSource);
export const existingSealedDataSource = existing('data source', findSealedDataSource);
export const existingRole = existing('role', findRole);
export const existingEditor = existing('editor', findEditor);
export const existingPermission = existing('permission', findPermission);
export const existingSnippet = existing('snippet', findSnippet);
export const existingSnippetRow = existing('snippet', findSnippetRow);

/** The kinds that a path can name, each with its word in an error. */
const kinds = {
  person: { word: 'person', find: findPerson },
  dataSource: { word: 'data source', find: findDataSource },
  role: { word: 'role', find: findRole },
  editor: { word: 'editor', find: findEditor },
  snippet: { word: 'snippet', find: findSnippetRow },
} as const;

export type Named = Partial<Record<keyof typeof kinds, string>>;

/** Makes sure that the objects named in a path exist. @throws Refusal not_found, naming the first that does not */
export async function requireExisting(executor: Executor, named: Named): Promise<void> {
  for (const [kind, { word, find }] of Object.entries(kinds)) {
    const id = named[kind as keyof typeof kinds];
    if (id !== undefined && (await find(executor, id)) === undefined) throw notFound(word, id);
  }
}

/**
 * Reads the list of an object that a path names. Only if it is empty, checks that the object exists: any other list costs one
 * query.
 */
export async function listOf<T>({ read, list }: RequestStore, named: Named, pages: Pages<T>): Promise<List<T>> {
  const rows = await list(pages);
  if (Array.isArray(rows) && rows.length === 0) await read((executor) => requireExisting(executor, named));
  return rows;
}

/** The kinds that belong to a data source, each with how to find its data source. */
const belongings = {
  permission: async (executor: Executor, id: string) => (await findPermission(executor, id))?.dataSource.id,
  editor: async (executor: Executor, id: string) => (await findEditor(executor, id))?.dataSource.id,
  query: findQueryDataSource,
} as const;

/**
 * Keeps a request of a limited key to its data sources.
 *
 * @param params of the path, by the names that the route table has for them
 * @throws Refusal not_found for an object of another data source, as if it did not exist
 */
export async function requireOwn(
  { read }: Pick<Store, 'read'>,
  { limitedKeys }: Route,
  params: Readonly<Record<string, unknown>>,
  dataSources: ReadonlySet<string>,
): Promise<void> {
  if (limitedKeys === 'open' || limitedKeys === 'list') return;
  if (limitedKeys === 'path') {
    const id = String(params['dataSource']);
    if (dataSources.has(id)) return;
    throw notFound('data source', id);
  }
  for (const kind of ['permission', 'editor', 'query'] as const) {
    const id = params[kind];
    if (limitedKeys !== 'object' || typeof id !== 'string') continue;
    const dataSource = await read((executor) => belongings[kind](executor, id));
    if (dataSource !== undefined && dataSources.has(dataSource)) return;
    throw notFound(kind, id);
  }
  throw reachesFurther();
}

/** For operations that a key limited to data sources may not use at all. */
export function reachesFurther(): Refusal {
  return new Refusal('insufficient_scope', 'the API key is limited to data sources, and the operation reaches further');
}
