import type { ListedSnippet } from '@rolecall/api';
import type { DesiredSnippet } from '../model/desired.ts';
import { type OwnerKey, snippetKey, snippetNameKey } from '../model/keys.ts';
import { type Candidate, oneCandidate } from './one-candidate.ts';
import type { Scope } from './scope.ts';

/** The snippet on the server that a definition means: the one with its id, or its owner and name; else one that it takes over. */
export async function snippetCandidate(desired: DesiredSnippet, scope: Scope): Promise<Candidate<ListedSnippet>> {
  const snippets = await scope.view.snippets();
  const key = snippetKey(await currentOwner(desired, scope), desired.snippet);
  const candidate = oneCandidate(desired, scope, snippets, key, ({ activeVersion }) => activeVersion.name);
  if (candidate.claims.length > 0) return candidate;
  const alike = snippets.byName.get(snippetNameKey(desired.snippet)) ?? [];
  return adoptOrphan(
    desired,
    alike.filter((snippet) => isOrphan(snippet, scope) && scope.rememberedBy('Snippet', snippet.id) === undefined),
    scope,
  );
}

/** The owner by the name that they have in the workspace: this plan may be about to rename them. */
async function currentOwner({ owner }: DesiredSnippet, { view, peekId }: Scope): Promise<OwnerKey> {
  if (owner?.kind === 'Person') {
    const { byId } = await view.people();
    return { kind: 'Person', username: byId.get(peekId('Person', owner.username) ?? '')?.username ?? owner.username };
  }
  if (owner === undefined) return undefined;
  const { byId } = await view.roles();
  return { kind: 'Role', role: byId.get(peekId('Role', owner.role) ?? '')?.name ?? owner.role };
}

/**
 * A snippet becomes ownerless when its owner is deleted. One of the same name without an owner, or whose owner this plan
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

function isOrphan({ ownerPerson, ownerRole }: ListedSnippet, scope: Scope): boolean {
  if (ownerPerson !== null) return scope.isLeaving('Person', ownerPerson.id);
  return ownerRole === null || scope.isLeaving('Role', ownerRole.id);
}
