import type { Role } from '@rolecall/api';
import type { DesiredRole } from '../model/desired.ts';
import { roleKey } from '../model/keys.ts';
import { emptyDiff, referenceName } from '../model/step.ts';
import type { Kind, Observation } from './kind.ts';
import { createRole, observeRenamed, type RenamedRole, replaceRole } from './replace-role.ts';
import { diffMembers, findPlaced, type ObservedMembers, observeMembers } from './role-members.ts';
import type { Scope } from './scope.ts';

export interface ObservedRole extends Observation {
  role: Pick<Role, 'id'> | undefined;
  /** What a role with another name has, when the front end remembers it as this one: it is replaced. */
  renamed: RenamedRole | undefined;
  people: ObservedMembers | undefined;
  dataSources: ObservedMembers | undefined;
}

/** A role and, where it lists them or memberships are exact, exactly its people and data sources. */
export const roleKind: Kind<DesiredRole, ObservedRole> = {
  key: (desired) => roleKey(desired.role),
  references: ({ people = [], dataSources = [] }) => [
    ...people.map((name) => ({ kind: 'Person', name }) as const),
    ...dataSources.map((name) => ({ kind: 'DataSource', name }) as const),
  ],

  async observe(desired, scope) {
    const roles = await scope.view.roles();
    const remembered = desired.id === undefined ? undefined : roles.byId.get(desired.id);
    const named = roles.byKey.get(roleKey(desired.role))?.[0];
    const isRenamed = remembered !== undefined && roleKey(remembered.name) !== roleKey(desired.role);
    // The one with the new name may be there already: a run that was interrupted has made it.
    const role = isRenamed ? named : (remembered ?? named);
    const [people, dataSources, renamed] = await Promise.all([
      observeMembers('Person', desired, role, scope),
      observeMembers('DataSource', desired, role, scope),
      isRenamed ? observeOld(remembered, role, desired, scope) : undefined,
    ]);
    return { role, renamed, people, dataSources, claims: [remembered, role].flatMap((one) => one?.id ?? []) };
  },

  diff(desired, { role, renamed, people, dataSources }) {
    const diff = emptyDiff();
    if (renamed !== undefined) return replaceRole(desired, renamed, people, dataSources);
    if (role === undefined) diff.steps.push(createRole(desired, 'create'));
    const id = role?.id ?? { ref: referenceName('Role', roleKey(desired.role)) };
    if (people !== undefined) diffMembers('Person', desired, id, people, diff);
    if (dataSources !== undefined) diffMembers('DataSource', desired, id, dataSources, diff);
    return diff;
  },
};

async function observeOld(
  old: RenamedRole['role'],
  role: Role | undefined,
  desired: DesiredRole,
  scope: Scope,
): Promise<RenamedRole> {
  const isOthers = scope.listing(old.name).length > 0;
  return observeRenamed(old, role, scope.view, { isOthers, placed: await findPlaced(desired.role, scope) });
}
