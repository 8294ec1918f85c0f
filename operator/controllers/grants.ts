/** What the workspace has of the permissions of a part, whatever is declared of them by now. */

import type { DefinitionOf } from '@rolecall/crds';
import { type DesiredObject, findId, type View } from '@rolecall/reconcile';
import { readyCondition } from './conditions.ts';
import type { Member } from './members.ts';
import type { Grant, TimeWindow } from './windows.ts';

/** What is said of a permission that is being granted, or was to be: it may be there although no id of it was written down. */
const unsure: ReadonlySet<string | undefined> = new Set(['Granting', 'Failed']);

/**
 * The same object, with the id of what was granted for it and, for a crash or a lost answer, not written down. Where its window is
 * another one by now, only the window that its status remembers tells which one that is.
 */
export async function withGrantMade(
  object: DesiredObject,
  member: Member | undefined,
  view: View,
  now: Date,
): Promise<DesiredObject> {
  if (object.kind !== 'Permission' || object.id !== undefined || member === undefined) return object;
  const { startsAt, expiresAt } = member.object.status;
  if (startsAt === undefined || expiresAt === undefined) return object;
  if (isAsDeclared({ startsAt, expiresAt }, object) || !unsure.has(readyCondition(member.object.status)?.reason))
    return object;
  const id = await findId({ ...object, startsAt, expiresAt }, view, now);
  return id === undefined ? object : { ...object, id };
}

/**
 * What the workspace has of a permission.
 *
 * @param id of what was granted for it, where that is known
 * @param isOthers whether an older object has what this one declares
 */
export function grantOf(
  { spec }: DefinitionOf<'Permission'>,
  id: string | undefined,
  isOthers: boolean,
  view: View,
): Grant {
  if (id === undefined) return 'none';
  const permissions = view.peek('permissions');
  const recorded = permissions?.byId.get(id);
  // What an older object has is as this one declares: another window is its own.
  if (recorded !== undefined && !isAsDeclared(recorded, spec)) return recorded;
  if (isOthers) return 'none';
  return permissions === undefined || recorded !== undefined ? 'declared' : 'none';
}

const isAsDeclared = (grant: TimeWindow, { startsAt, expiresAt }: TimeWindow): boolean =>
  grant.expiresAt === expiresAt && (startsAt === undefined || grant.startsAt === startsAt);
