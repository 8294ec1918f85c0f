import { notFound } from '../refusal.ts';
import { findDataSource } from '../store/data-source.ts';
import { findEditor } from '../store/editor.ts';
import { findPerson } from '../store/person.ts';
import { findRole } from '../store/role.ts';
import { findSnippetRow } from '../store/snippet.ts';
import type { Executor } from '../store/store.ts';

/** What a path can name, with the word for it in an error. */
const kinds = {
  person: { word: 'person', find: findPerson },
  dataSource: { word: 'data source', find: findDataSource },
  role: { word: 'role', find: findRole },
  editor: { word: 'editor', find: findEditor },
  snippet: { word: 'snippet', find: findSnippetRow },
} as const;

export type Named = Partial<Record<keyof typeof kinds, string>>;

/** Makes sure that what a path names exists. @throws Refusal not_found, naming the first that does not */
export async function requireExisting(executor: Executor, named: Named): Promise<void> {
  for (const [kind, { word, find }] of Object.entries(kinds)) {
    const id = named[kind as keyof typeof kinds];
    if (id !== undefined && (await find(executor, id)) === undefined) throw notFound(word, id);
  }
}

/**
 * The list that belongs to what a path names. Only an empty one leaves the question whether that exists, so that a list
 * with something in it costs one query.
 */
export async function listOf<T>(executor: Executor, named: Named, rows: T[]): Promise<T[]> {
  if (rows.length === 0) await requireExisting(executor, named);
  return rows;
}
