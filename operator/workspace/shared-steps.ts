import { type DesiredObject, dataSourceKey, label, personKey, roleKey } from '@rolecall/reconcile';
import type { WorkspacePlan } from './plan-workspace.ts';

/** The calls for one member of a role, and the kind of the member. */
const memberCalls: Readonly<Record<string, 'Person' | 'DataSource'>> = {
  addRolePerson: 'Person',
  setRolePersonWindows: 'Person',
  removeRolePerson: 'Person',
  addRoleDataSource: 'DataSource',
  removeRoleDataSource: 'DataSource',
};

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
  for (const { id, operation, object } of plan.steps) {
    const kind = memberCalls[operation];
    if (kind !== undefined) makers.set(`${kind} ${id.slice(operation.length + 1)}`, label(object));
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

/** What an object declares to be in a role, as the steps have it. */
function membersOf(object: DesiredObject): string[] {
  if (object.kind !== 'Role' && object.kind !== 'RoleMembership') return [];
  const role = roleKey(object.role);
  const person = (username: string) => `Person ${JSON.stringify([role, personKey(username)])}`;
  const dataSource = (alias: string) => `DataSource ${JSON.stringify([role, dataSourceKey(alias)])}`;
  if (object.kind === 'Role')
    return [...(object.people ?? []).map(person), ...(object.dataSources ?? []).map(dataSource)];
  return [object.member.kind === 'Person' ? person(object.member.username) : dataSource(object.member.alias)];
}
