import type { ListedSnippet, Role } from '@rolecall/api';
import { addMember, type MemberKind, setWindows } from '../model/common-steps.ts';
import { type DesiredRole, label, named } from '../model/desired.ts';
import { roleKey } from '../model/keys.ts';
import { type Diff, emptyDiff, missing, type Reference, referenceName, type Step, stepId } from '../model/step.ts';
import type { Reader } from '../view/without-people.ts';
import { diffMembers, type Member, type ObservedMembers, readDataSources, toMember } from './role-members.ts';
import { ownerFields } from './snippet.ts';

/** A role that goes because its name changed, with all that the new one must have first. */
export interface RenamedRole {
  role: Pick<Role, 'id' | 'name'>;
  /** Whether another definition has the old name by now: that one means the role, which stays. */
  isOthers: boolean;
  /** The role that has the new name already, with who and what is in it; adopted like every other object. */
  becomes: { id: string; present: ReadonlySet<string> } | undefined;
  people: readonly Member[];
  dataSources: readonly Member[];
  snippets: readonly ListedSnippet[];
  /** Ids of people whom RoleMemberships put into the new role: as they declare, and not as it was in the old one. */
  placed: ReadonlySet<string>;
}

/** Reads what a role has that is to be replaced, and the role that takes its place, where it is there. */
export async function observeRenamed(
  role: RenamedRole['role'],
  becomes: Pick<Role, 'id'> | undefined,
  view: Reader,
  { isOthers = false, placed = new Set() }: Partial<Pick<RenamedRole, 'isOthers' | 'placed'>> = {},
): Promise<RenamedRole> {
  const [people, dataSources, snippets] = await Promise.all([
    view.rolePeople(role.id),
    readDataSources(role.id, view),
    view.snippets(),
  ]);
  return {
    ...{ role, isOthers, placed },
    becomes: becomes && { id: becomes.id, present: await membersOf(becomes.id, view) },
    people: people.all.map(toMember),
    dataSources,
    snippets: snippets.all.filter(({ ownerRole }) => ownerRole?.id === role.id),
  };
}

async function membersOf(role: string, view: Reader): Promise<Set<string>> {
  const [people, dataSources] = await Promise.all([view.rolePeople(role), view.roleDataSources(role)]);
  return new Set([...people.byId.keys(), ...dataSources.byId.keys()]);
}

/**
 * Roles cannot be renamed. The new one is made and filled before the old one goes, so that a member of both does not lose
 * access in between.
 */
export function replaceRole(
  desired: DesiredRole,
  renamed: RenamedRole,
  people: ObservedMembers | undefined,
  dataSources: ObservedMembers | undefined,
): Diff {
  const diff = emptyDiff();
  const to = renamed.becomes?.id ?? { ref: referenceName('Role', roleKey(desired.role)) };
  const reason = `the role ${renamed.role.name} is renamed, and roles cannot be edited`;
  if (desired.protected && !renamed.isOthers) {
    diff.refusals.push({
      rail: 'protected',
      objects: [label(desired)],
      message: `${label(desired)} is protected, and renaming it from ${renamed.role.name} would delete the old role`,
      remedy: 'put the old name back, or take the annotation rolecall.dev/protected away',
      override: `protected:${label(desired)}`,
    });
  }
  const fill = [
    ...members('Person', desired, to, renamed, people, diff),
    ...members('DataSource', desired, to, renamed, dataSources, diff),
    ...renamed.snippets.map((snippet) => reown(desired, snippet, to)),
  ].map((step): Step => (step.effect === 'revoke' ? step : { ...step, effect: 'replace', reason }));
  const create = renamed.becomes === undefined ? [createRole(desired, 'replace')] : [];
  for (const step of [...create, ...fill]) diff.steps.push(step);
  if (renamed.isOthers) return diff;
  diff.steps.push({
    id: stepId('deleteRole', renamed.role.id),
    operation: 'deleteRole',
    params: { role: renamed.role.id },
    object: named(desired),
    summary: `delete the role ${renamed.role.name}`,
    reason,
    effect: 'replace',
    after: fill.map(({ id }) => id),
  });
  return diff;
}

/** The call that makes a role. */
export function createRole(desired: DesiredRole, effect: 'create' | 'replace'): Step {
  return {
    id: stepId('createRole', roleKey(desired.role)),
    operation: 'createRole',
    params: {},
    body: { name: desired.role },
    object: named(desired),
    summary: `create the role ${desired.role}`,
    reason: desired.reason ?? missing,
    effect,
    makes: referenceName('Role', roleKey(desired.role)),
    after: [],
  };
}

/** Adds the members of the new role: the declared list, and those of the old role that no list excludes. */
function members(
  kind: MemberKind,
  desired: DesiredRole,
  role: string | Reference,
  renamed: RenamedRole,
  declared: ObservedMembers | undefined,
  diff: Diff,
): Step[] {
  const old = kind === 'Person' ? renamed.people : renamed.dataSources;
  const isKept = (id: string): boolean => declared === undefined || declared.doubts.length > 0 || declared.kept.has(id);
  // The list gives these people the role for good: the times that they had in the old role would be written after that.
  const listedIds = new Set(declared?.wanted.flatMap(({ located }) => ('id' in located ? [located.id] : [])));
  const carried = old.filter(({ id }) => isKept(id) && !listedIds.has(id) && !renamed.placed.has(id));
  const listed = emptyDiff();
  if (declared !== undefined) diffMembers(kind, desired, role, declared, listed);
  diff.refusals.push(...listed.refusals);
  diff.notes.push(...listed.notes);
  return [
    ...listed.steps,
    ...carried
      .filter(({ id }) => renamed.becomes?.present.has(id) !== true)
      .map((member) => carry(kind, { id: role, name: desired.role }, member, named(desired))),
  ];
}

/** A member comes as they are in the old role: for a time, where they have it for a time. */
function carry(kind: MemberKind, role: Parameters<typeof setWindows>[0], member: Member, object: Step['object']): Step {
  const { windows } = member;
  return windows === undefined
    ? addMember(kind, role, member, object)
    : setWindows(role, member, windows, object, undefined);
}

function reown(
  desired: DesiredRole,
  { id, activeVersion, publicAccessLevel }: ListedSnippet,
  role: string | Reference,
): Step {
  return {
    id: stepId('updateSnippet', id),
    operation: 'updateSnippet',
    params: { snippet: id },
    body: { publicAccessLevel, ...ownerFields({ kind: 'Role', role: desired.role }, role) },
    object: named(desired),
    summary: `give the snippet ${activeVersion.name} to ${desired.role}`,
    reason: '',
    effect: 'replace',
    after: [],
  };
}
