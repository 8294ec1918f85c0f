import type { MembershipWindow, Role, RolePerson } from '@rolecall/api';
import { addMember, removeMember } from '../model/common-steps.ts';
import { type DesiredRole, type DesiredRoleMembership, label, type MemberKind } from '../model/desired.ts';
import { roleKey } from '../model/keys.ts';
import { type Diff, emptyDiff, idOf, type Reference, type Refusal } from '../model/step.ts';
import type { Reader } from '../view/view.ts';
import type { Located, Scope } from './scope.ts';

/** A person or data source that is in a role. */
export interface Member {
  id: string;
  name: string;
  /** True for a data source without an alias: others may have its name too. */
  isKeyless?: boolean;
  /** The times at which a person has the role. If omitted, always. */
  windows?: readonly MembershipWindow[];
}

/** The members that a role has and those that it should have, where definitions decide. */
export interface ObservedMembers {
  present: readonly Member[];
  wanted: readonly { name: string; located: Located }[];
  /** Ids of members that RoleMembership objects declare: not in the list, and yet not to be removed. */
  kept: ReadonlySet<string>;
  /** Why no member may be taken out: a definition may mean one of them, and it is not known which. */
  doubts: readonly Refusal[];
}

/** The members of a role: those it lists or, without a list, those of RoleMemberships where memberships are exact. */
export async function observeMembers(
  kind: MemberKind,
  desired: DesiredRole,
  role: Role | undefined,
  scope: Scope,
): Promise<ObservedMembers | undefined> {
  const listed = kind === 'Person' ? desired.people : desired.dataSources;
  if (listed === undefined) {
    return scope.exact.includes('memberships') ? observeAdded(kind, { ...role, name: desired.role }, scope) : undefined;
  }
  const [wanted, added] = await Promise.all([
    scope.locateAll(desired, kind, listed),
    observeAdded(kind, { ...role, name: desired.role }, scope),
  ]);
  // A list names its members itself.
  return { ...added, wanted, doubts: [] };
}

/** The members of a role that has only those of RoleMemberships. */
async function observeAdded(
  kind: MemberKind,
  role: Partial<Role> & { name: string },
  scope: Scope,
): Promise<ObservedMembers> {
  const [present, { kept, doubts }, lost] = await Promise.all([
    role.id === undefined ? [] : readMembers(kind, role.id, scope.view),
    findAdded(kind, scope.additions(role.name), scope),
    scope.lostRoles(),
  ]);
  return { present, wanted: [], kept, doubts: [...doubts, ...lost] };
}

async function readMembers(kind: MemberKind, role: string, view: Reader): Promise<Member[]> {
  if (kind === 'Person') return (await view.rolePeople(role)).all.map(toMember);
  return readDataSources(role, view);
}

/** The data sources in a role. */
export async function readDataSources(role: string, view: Pick<Reader, 'roleDataSources'>): Promise<Member[]> {
  return (await view.roleDataSources(role)).all.map(({ id, name, alias }) =>
    alias === null ? { id, name, isKeyless: true } : { id, name: alias },
  );
}

/** A person in a role, as the service shows them. */
export function toMember({ id, username, windows }: RolePerson): Member {
  return { id, name: username, ...(windows && { windows }) };
}

async function findAdded(kind: MemberKind, additions: readonly DesiredRoleMembership[], scope: Scope) {
  const kept = new Set<string>();
  const doubts: Refusal[] = [];
  for (const addition of additions) {
    const { member } = addition;
    if (member.kind !== kind) continue;
    const located = await scope.locate(addition, kind, member.kind === 'Person' ? member.username : member.alias);
    if ('id' in located) kept.add(idOf(located.id));
    else if (!located.isDeclared) doubts.push(located.missing);
  }
  return { kept, doubts };
}

/** Adds the members that a role lacks, and removes those that are not declared. */
export function diffMembers(
  kind: MemberKind,
  desired: DesiredRole,
  role: string | Reference,
  observed: ObservedMembers,
  diff: Diff,
): void {
  // A listed person has the role without an end.
  const presentIds = new Set(observed.present.flatMap(({ id, windows }) => (windows === undefined ? [id] : [])));
  for (const { name, located } of observed.wanted) {
    if ('missing' in located) {
      diff.refusals.push(located.missing);
      continue;
    }
    if (typeof located.id === 'string' && presentIds.has(located.id)) continue;
    diff.steps.push(addMember(kind, { id: role, name: desired.role }, { id: located.id, name }, desired));
  }
  for (const member of leavingMembers(label(desired), observed, diff)) {
    diff.steps.push(removeMember(kind, { id: role, name: desired.role }, member, desired));
  }
}

/** The members that no definition declares. If one may mean any of them, all stay, and a note says why. */
function leavingMembers(
  role: string,
  { present, wanted, kept, doubts: [doubt] }: ObservedMembers,
  diff: Diff,
): Member[] {
  const wantedIds = new Set(wanted.flatMap(({ located }) => ('id' in located ? [idOf(located.id)] : [])));
  const undeclared = present.filter(({ id }) => !wantedIds.has(id) && !kept.has(id));
  if (doubt === undefined || undeclared.length === 0) return undeclared;
  diff.notes.push({ object: role, message: `keeps all its members: ${doubt.message}`, code: 'undetermined' });
  return [];
}

/** Takes undeclared members out of roles that no Role declares and RoleMemberships name, where memberships are exact. */
export async function removeUndeclaredMembers(scope: Scope): Promise<Diff> {
  const diff = emptyDiff();
  if (!scope.exact.includes('memberships')) return diff;
  const declared = new Set(scope.desired('Role').map(({ role }) => roleKey(role)));
  const named = new Set(scope.desired('RoleMembership').map(({ role }) => roleKey(role))).difference(declared);
  const { byKey } = await scope.view.roles();
  for (const role of [...named].flatMap((name) => byKey.get(name)?.[0] ?? [])) {
    for (const kind of ['Person', 'DataSource'] as const) {
      const observed = await observeAdded(kind, role, scope);
      for (const member of leavingMembers(`Role/${role.name}`, observed, diff)) {
        const object = { kind: 'RoleMembership', name: `${member.name} in ${role.name}`, undeclared: true } as const;
        diff.steps.push({ ...removeMember(kind, role, member, object), object });
      }
    }
  }
  return diff;
}
