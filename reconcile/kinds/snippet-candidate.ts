import type { ListedSnippet } from '@rolecall/api';
import type { DesiredSnippet } from '../model/desired.ts';
import { personKey, snippetKey, snippetNameKey } from '../model/keys.ts';
import { heirsOfFallen } from '../replacement/own-journals.ts';
import { type Candidate, oneCandidate } from './one-candidate.ts';
import type { Scope } from './scope.ts';

/**
 * The snippet on the server that a definition means: the one with its id, or its owner and name; one that fell with the
 * owner and was not given back yet; else one that it takes over.
 */
export async function snippetCandidate(desired: DesiredSnippet, scope: Scope): Promise<Candidate<ListedSnippet>> {
  const snippets = await scope.view.snippets();
  const heirs = await heirsOfFallen(scope.view);
  const key = snippetKey(desired.owner, desired.snippet);
  const fallen = named(desired, snippets.byName).filter(({ id }) => isHeir(desired, heirs.get(id)));
  const own = (snippets.byKey.get(key) ?? []).filter(({ id }) => !heirs.has(id));
  const byKey = new Map([[key, [...own, ...fallen]]]);
  const found = oneCandidate(desired, { byId: snippets.byId, byKey }, key, ({ activeVersion }) => activeVersion.name);
  if (found.claims.length > 0) return found;
  const free = named(desired, snippets.byName).filter((snippet) => !heirs.has(snippet.id) && isOrphan(snippet, scope));
  return adoptOrphan(desired, free, scope);
}

/**
 * A snippet becomes ownerless when its owner is deleted. One of the same name that nobody owns, or whose owner this plan
 * removes, is taken over rather than left beside a copy of it: where it is the only one, and only this definition has the
 * name. That another one has its snippet already says nothing: a run that was interrupted may just have made it.
 */
function adoptOrphan(
  desired: DesiredSnippet,
  [orphan, ...others]: readonly ListedSnippet[],
  scope: Scope,
): Candidate<ListedSnippet> {
  if (orphan === undefined || others.length > 0) return nothing;
  const name = snippetNameKey(desired.snippet);
  const takers = scope.desired('Snippet').filter(({ snippet }) => snippetNameKey(snippet) === name);
  return takers.length > 1 ? nothing : { object: orphan, ambiguous: undefined, claims: [orphan.id] };
}

const nothing: Candidate<ListedSnippet> = { object: undefined, ambiguous: undefined, claims: [] };

const named = (
  { snippet }: DesiredSnippet,
  byName: ReadonlyMap<string, readonly ListedSnippet[]>,
): readonly ListedSnippet[] => byName.get(snippetNameKey(snippet)) ?? [];

const isHeir = ({ owner }: DesiredSnippet, heir: string | undefined): boolean =>
  heir !== undefined && owner?.kind === 'Person' && personKey(owner.username) === heir;

function isOrphan({ ownerPerson, ownerRole }: ListedSnippet, scope: Scope): boolean {
  if (ownerPerson !== null) return scope.isLeaving('Person', ownerPerson.id);
  return ownerRole === null || scope.isLeaving('Role', ownerRole.id);
}
