import { label, personKey, roleKey } from '@rolecall/reconcile';
import type { WorkspacePlan } from './plan-workspace.ts';

const memberCalls: ReadonlySet<string> = new Set(['addRolePerson', 'setRolePersonWindows', 'removeRolePerson']);

/**
 * Finds memberships whose call another object makes: one call has all times of a person in a role, and it succeeds and fails in
 * the name of one object.
 *
 * @returns for the label of such a membership, that of the object
 */
export function findSharedSteps({ plan, desired }: Pick<WorkspacePlan, 'plan' | 'desired'>): Map<string, string> {
  const shared = new Map<string, string>();
  const makers = new Map<string, string>();
  // Two calls for one person in one role are one step: its id has both names.
  for (const { id, operation, object } of plan.steps)
    if (memberCalls.has(operation)) makers.set(id.slice(operation.length + 1), label(object));
  if (makers.size === 0) return shared;
  for (const [name, object] of desired) {
    if (object.kind !== 'RoleMembership' || object.member.kind !== 'Person') continue;
    if (object.paused || object.observeOnly) continue;
    const maker = makers.get(JSON.stringify([roleKey(object.role), personKey(object.member.username)]));
    if (maker !== undefined && maker !== name) shared.set(name, maker);
  }
  return shared;
}
