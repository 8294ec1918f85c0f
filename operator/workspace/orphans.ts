/** What is exact removes what nobody declares, and so what a deleted object would leave in the workspace. */

import { collectionWords, type ExactCollection, isManaged, type ObjectDefinition } from '@rolecall/crds';
import { collectionOf } from '@rolecall/reconcile';
import { isLeaving, labelOf } from '../resources/custom-object.ts';
import type { Member, Members } from './object-index.ts';

/**
 * What becomes of what a deleted object has in the workspace.
 *
 * @param exact the collections of its Workspace that are exact
 * @returns undefined where its deletion removes that; `left` where it stays there; else who would remove it although it
 *   should stay, and what to do
 */
export function leftBehind(
  member: Member,
  exact: readonly ExactCollection[],
  members: Members,
): undefined | 'left' | { readonly problem: string } {
  const { managementPolicy, deletionPolicy } = member.definition.spec;
  if (managementPolicy === 'Full' && deletionPolicy === 'Delete') return undefined;
  const remover = removerOf(member, exact, members);
  if (remover === undefined) return 'left';
  const policy = managementPolicy === 'Full' ? 'deletionPolicy: Orphan' : 'managementPolicy: Observe';
  return { problem: `${policy} leaves it in the workspace, but ${remover}.` };
}

function removerOf(member: Member, exact: readonly ExactCollection[], members: Members): string | undefined {
  const collection = collectionOf[member.definition.kind];
  if (collection !== undefined) {
    if (!exact.includes(collection)) return undefined;
    return `the Workspace removes the ${collectionWords[collection]} that nobody declares: take ${collection} out of its spec.exact, or let it be removed with managementPolicy: Full and deletionPolicy: Delete`;
  }
  if (exact.includes('memberships')) {
    return 'the Workspace removes the memberships that nobody declares: take memberships, and roles, which include them, out of its spec.exact, or let it be removed with managementPolicy: Full and deletionPolicy: Delete';
  }
  const role = listingRole(member, members);
  if (role === undefined) return undefined;
  const list = listOf(member.definition);
  return `${labelOf(role.object)} sets its ${collectionWords[list]} as a whole: name it there, take ${list} out of the role, or delete the role first`;
}

const listOf = (definition: ObjectDefinition): 'people' | 'dataSources' =>
  definition.kind === 'RoleMembership' && definition.spec.person === undefined ? 'dataSources' : 'people';

/** The role that lists its members itself, so that whom a deleted membership leaves there would be taken out. */
function listingRole({ object, definition }: Member, members: Members): Member | undefined {
  const meant = members.refsOf(labelOf(object)).flatMap((ref) => members.meantBy(ref));
  return meant
    .flatMap((label) => members.get(label) ?? [])
    .find(
      (one) =>
        one.definition.kind === 'Role' &&
        one.definition.spec[listOf(definition)] !== undefined &&
        isManaged(one.definition) &&
        !isLeaving(one.object),
    );
}
