import type { Role } from '@rolecall/api';
import { type DesiredRole, named } from './desired.ts';
import { dataSourceKey, personKey, roleKey } from './keys.ts';
import type { Kind, Observation } from './kind.ts';
import { addMember, type MemberKind, removeMember } from './membership-step.ts';
import type { Located, Scope } from './scope.ts';
import { type Diff, emptyDiff, type Reference, referenceName, type Step } from './step.ts';
import type { Collection } from './view.ts';

interface Member {
  id: string;
  name: string;
}

/** One of a role's two lists, where it is declared. */
export interface ObservedMembers {
  present: readonly Member[];
  wanted: readonly { name: string; located: Located }[];
  /** Members that RoleMembership objects declare: not in the list, and yet not to be removed. */
  kept: ReadonlySet<string>;
}

export interface ObservedRole extends Observation {
  role: Role | undefined;
  people: ObservedMembers | undefined;
  dataSources: ObservedMembers | undefined;
}

/** A role and, where it declares them, exactly its people and data sources. */
export const roleKind: Kind<DesiredRole, ObservedRole> = {
  key: (desired) => roleKey(desired.role),

  async observe(desired, scope) {
    const roles = await scope.view.roles();
    const remembered = desired.id === undefined ? undefined : roles.byId.get(desired.id);
    const role = remembered ?? roles.byKey.get(roleKey(desired.role))?.[0];
    const [people, dataSources] = await Promise.all([
      observePeople(desired, role, scope),
      observeDataSources(desired, role, scope),
    ]);
    return { role, people, dataSources, claims: role === undefined ? [] : [role.id] };
  },

  diff(desired, { role, people, dataSources }) {
    const diff = emptyDiff();
    if (role === undefined) diff.steps.push(create(desired));
    const id = role?.id ?? { ref: referenceName('Role', roleKey(desired.role)) };
    if (people !== undefined) diffMembers('Person', desired, id, people, personKey, diff);
    if (dataSources !== undefined) diffMembers('DataSource', desired, id, dataSources, dataSourceKey, diff);
    return diff;
  },
};

async function observePeople(desired: DesiredRole, role: Role | undefined, scope: Scope) {
  if (desired.people === undefined) return undefined;
  const present = role === undefined ? none : await scope.view.rolePeople(role.id);
  return observeMembers(desired, 'Person', desired.people, scope, {
    present: present.all.map(({ id, username }) => ({ id, name: username })),
    kept: scope.additions(desired.role).people,
  });
}

async function observeDataSources(desired: DesiredRole, role: Role | undefined, scope: Scope) {
  if (desired.dataSources === undefined) return undefined;
  const present = role === undefined ? none : await scope.view.roleDataSources(role.id);
  return observeMembers(desired, 'DataSource', desired.dataSources, scope, {
    present: present.all.map(({ id, name, alias }) => ({ id, name: alias ?? name })),
    kept: scope.additions(desired.role).dataSources,
  });
}

const none: Pick<Collection<never>, 'all'> = { all: [] };

async function observeMembers(
  desired: DesiredRole,
  kind: MemberKind,
  names: readonly string[],
  scope: Scope,
  rest: Omit<ObservedMembers, 'wanted'>,
): Promise<ObservedMembers> {
  const wanted = await Promise.all(
    names.map(async (name) => ({ name, located: await scope.locate(desired, kind, name) })),
  );
  return { ...rest, wanted };
}

function diffMembers(
  kind: MemberKind,
  desired: DesiredRole,
  role: string | Reference,
  { present, wanted, kept }: ObservedMembers,
  fold: (name: string) => string,
  diff: Diff,
): void {
  const presentIds = new Set(present.map(({ id }) => id));
  const wantedIds = new Set<string>();
  for (const { name, located } of wanted) {
    if ('missing' in located) {
      diff.refusals.push(located.missing);
      continue;
    }
    if (typeof located.id === 'string') wantedIds.add(located.id);
    if (typeof located.id === 'string' && presentIds.has(located.id)) continue;
    diff.steps.push(addMember(kind, { id: role, name: desired.role }, { id: located.id, name }, desired));
  }
  for (const member of present) {
    if (wantedIds.has(member.id) || kept.has(fold(member.name))) continue;
    diff.steps.push(removeMember(kind, { id: role, name: desired.role }, member, desired));
  }
}

function create(desired: DesiredRole): Step {
  return {
    id: `createRole ${desired.role}`,
    operation: 'createRole',
    params: {},
    body: { name: desired.role },
    object: named(desired),
    summary: `create the role ${desired.role}`,
    reason: 'declared, and not in the workspace',
    effect: 'create',
    makes: referenceName('Role', roleKey(desired.role)),
    after: [],
  };
}
