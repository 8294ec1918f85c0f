/** Memberships and lists whose resource is replaced. */

import { type Private, stateKey, type VerbContext } from '../../plugin/framework/resource.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/**
 * A note that the plan of a replacement leaves for its removal, which Terraform begins with. Nothing is taken out then, and the creation
 * puts right what differs.
 *
 * @param id of a list or a membership
 */
export const stays = (id: string): Private => ({ stays: id });

export const staysWith = (planned: Private, id: string): boolean => planned['stays'] === id;

/** True if a create takes the place of what its own resource has: by -replace or replace_triggered_by, or because it is tainted. */
export function isReplacement(
  type: string,
  id: string,
  memory: Private,
  { refreshed }: VerbContext<Workspace>,
): boolean {
  return memory['id'] === id || memory['claim'] !== undefined || refreshed.has(stateKey(type, id));
}
