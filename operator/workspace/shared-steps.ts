import { type DesiredObject, dataSourceKey, label, memberKindOf, personKey, roleKey } from '@rolecall/reconcile';
import type { WorkspacePlan } from './plan-workspace.ts';

/**
 * Finds roles and memberships whose calls other objects make: one call puts a member into a role, for all objects that declare it,
 * and it succeeds and fails in the name of one object.
 *
 * @returns for the label of such a role or membership, those of the objects
 */
export function findSharedSteps({
  plan,
  desired,
}: Pick<WorkspacePlan, 'plan' | 'desired'>): Map<string, ReadonlySet<string>> {
  const shared = new Map<string, ReadonlySet<string>>();
  const makers = new Map<string, string>();
  // Two calls for one member of one role are one step: its id has both names.
  for (const step of plan.steps) {
    const kind = memberKindOf(step);
    if (kind !== undefined) makers.set(`${kind} ${step.id.slice(step.operation.length + 1)}`, label(step.object));
  }
  if (makers.size === 0) return shared;
  for (const [name, object] of desired) {
    if (object.paused || object.observeOnly) continue;
    const others = new Set(membersOf(object).flatMap((member) => makers.get(member) ?? []));
    others.delete(name);
    if (others.size > 0) shared.set(name, others);
  }
  return shared;
}

/** The members that an object declares for a role, as the steps name them. */
function membersOf(object: DesiredObject): string[] {
  if (object.kind !== 'Role' && object.kind !== 'RoleMembership') return [];
  const role = roleKey(object.role);
  const person = (username: string) => `Person ${JSON.stringify([role, personKey(username)])}`;
  const dataSource = (alias: string) => `DataSource ${JSON.stringify([role, dataSourceKey(alias)])}`;
  if (object.kind === 'Role')
    return [...(object.people ?? []).map(person), ...(object.dataSources ?? []).map(dataSource)];
  return [object.member.kind === 'Person' ? person(object.member.username) : dataSource(object.member.alias)];
}
