import type { Role } from '@rolecall/api';
import { type DesiredRole, label, named } from '../model/desired.ts';
import { roleKey } from '../model/keys.ts';
import { differs, emptyDiff, makeStep, missing, type Refusal, referenceName, type Step } from '../model/step.ts';
import type { Collection } from '../view/view.ts';
import type { Kind, Observation } from './kind.ts';
import { findNameTurns, type NameTurn, type NameTurns, type UniqueNames } from './name-turn.ts';
import { notEditable } from './not-editable.ts';
import { oneCandidate } from './one-candidate.ts';
import { diffMembers, type ObservedMembers, observeMembers } from './role-members.ts';

export interface ObservedRole extends Observation {
  role: Pick<Role, 'id' | 'name'> | undefined;
  names: NameTurns<'name'>;
  /** True if the service can rename roles. */
  isEditable: boolean;
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
    const { object: role, claims } = oneCandidate(desired, scope, roles, roleKey(desired.role), ({ name }) => name);
    const [people, dataSources] = await Promise.all([
      observeMembers('Person', desired, role, scope),
      observeMembers('DataSource', desired, role, scope),
    ]);
    const names = findNameTurns(desired, role, uniqueNames(roles), scope);
    return { role, names, isEditable: scope.view.edits(), people, dataSources, claims };
  },

  diff(desired, { role, names, isEditable, people, dataSources }) {
    const diff = emptyDiff();
    diff.refusals.push(...names.refusals);
    const [turn] = names.turns;
    if (role === undefined) diff.steps.push(createRole(desired, turn?.after ?? []));
    else if (roleKey(role.name) !== roleKey(desired.role)) {
      const changes = [{ field: 'name', from: role.name, to: desired.role }];
      if (!isEditable) diff.refusals.push(notEditable(desired, 'roles', changes));
      if (turn !== undefined) diff.steps.push(...rename(desired, role, turn));
    }
    const id = role?.id ?? { ref: referenceName('Role', roleKey(desired.role)) };
    if (people !== undefined) diffMembers('Person', desired, id, people, diff);
    if (dataSources !== undefined) diffMembers('DataSource', desired, id, dataSources, diff);
    return diff;
  },
};

const uniqueNames = ({ byKey }: Collection<Role>): UniqueNames<DesiredRole, Role, 'name'> => ({
  kind: 'Role',
  update: 'updateRole',
  removal: 'deleteRole',
  fields: ['name'],
  declared: ({ role }) => roleKey(role),
  current: ({ name }) => roleKey(name),
  index: () => byKey,
  refuse: roleNameTaken,
});

function createRole(desired: DesiredRole, after: readonly string[]): Step {
  return makeStep('createRole', [roleKey(desired.role)], named(desired), {
    params: {},
    body: { name: desired.role },
    summary: `create the role ${desired.role}`,
    reason: desired.reason ?? missing,
    effect: 'create',
    makes: referenceName('Role', roleKey(desired.role)),
    after: [...after],
  });
}

/** The call that renames a role, and the one before it that frees its name for another role. */
function rename(
  desired: DesiredRole,
  { id: role, name }: Pick<Role, 'id' | 'name'>,
  { id, after, frees }: NameTurn<'name'>,
): Step[] {
  const edit = { operation: 'updateRole', params: { role }, object: named(desired), effect: 'change' } as const;
  const step: Step = {
    ...edit,
    id,
    body: { name: desired.role },
    summary: `rename the role ${name} to ${desired.role}`,
    reason: differs,
    changes: [{ field: 'name', from: name, to: desired.role }],
    after: [...after, ...(frees === undefined ? [] : [frees.id])],
  };
  if (frees === undefined) return [step];
  const to = `renamed-${role}`;
  const freeing: Step = {
    ...edit,
    id: frees.id,
    body: { name: to },
    summary: `free the name ${name} for another role`,
    reason: 'roles exchange their names, and the service has each once',
    changes: [{ field: 'name', from: name, to }],
    after: [],
  };
  return [freeing, step];
}

function roleNameTaken(desired: DesiredRole, _field: 'name', { name, id }: Role): Refusal {
  return {
    rail: 'role-name-taken',
    objects: [label(desired)],
    message: `${label(desired)} declares the name ${name}, which another role in the workspace has (id ${id})`,
    remedy: 'choose another name; where that role should give it up, find out what keeps it',
  };
}
