import type { ListedSnippet } from '@rolecall/api';
import { personKey } from '../model/keys.ts';
import type { View } from '../view/view.ts';
import type { Journal } from './journal.ts';

/** Only who has an API key can make a version without a creator: what a person wrote must grant nothing. */
export async function isOurs({ snippet }: Journal, view: View): Promise<boolean> {
  const versions = await view.snippetVersions(snippet.id);
  return versions.every(({ createdBy }) => createdBy === null);
}

/**
 * The snippets that nobody owns because their owner was being replaced when a run was interrupted. They are not free to be
 * taken over: they are about to be given back.
 *
 * @returns for each of them its id and whom it is given back to, as `personKey` spells it
 */
export async function heirsOfFallen(view: View): Promise<ReadonlyMap<string, string>> {
  const { journals, byId } = await view.snippets();
  const heirs = new Map<string, string>();
  for (const journal of journals) {
    if (!(await isOurs(journal, view))) continue;
    const { becomes, snippets } = journal.content;
    for (const { id } of snippets) if (isOwnerless(byId.get(id))) heirs.set(id, personKey(becomes));
  }
  return heirs;
}

const isOwnerless = (snippet: ListedSnippet | undefined): boolean =>
  snippet !== undefined && snippet.ownerPerson === null && snippet.ownerRole === null;
