import type { Role } from '@rolecall/api';
import type { DesiredRole } from './desired.ts';
import { addMember, type MemberKind, removeMember } from './membership-step.ts';
import type { Located, Scope } from './scope.ts';
import type { Diff, Reference } from './step.ts';
import type { Collection } from './view.ts';

/** A person or data source that is in a role. */
export interface Member {
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

/** The people of a role, where its definition lists them. */
export async function observePeople(desired: DesiredRole, role: Role | undefined, scope: Scope) {
  if (desired.people === undefined) return undefined;
  const present = role === undefined ? none : await scope.view.rolePeople(role.id);
  return observeMembers(desired, 'Person', desired.people, scope, {
    present: present.all.map(({ id, username }) => ({ id, name: username })),
    kept: scope.additions(desired.role).people,
  });
}

/** The data sources of a role, where its definition lists them. */
export async function observeDataSources(desired: DesiredRole, role: Role | undefined, scope: Scope) {
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

/** Adds who is missing from one of a role's lists, and removes who is in it undeclared. */
export function diffMembers(
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
