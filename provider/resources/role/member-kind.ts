import type { MembershipWindow } from '@rolecall/api';
import { addMember, dataSourceKey, personKey, removeMember, roleKey, type Step, setWindows } from '@rolecall/reconcile';
import { type DiagnosticError, refusal } from '../../plugin/framework/diagnostics.ts';
import { isGone } from '../../workspace/failures.ts';
import type { MemberCollection } from '../../workspace/planned-members.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Reference } from '../shared/references.ts';

/** What can be in a role, and how: people and data sources alike. */
export interface MemberKind {
  /** As the engine calls it. */
  readonly kind: 'Person' | 'DataSource';
  readonly noun: 'person' | 'data source';
  readonly plural: 'people' | 'data sources';
  /** Names of the resources: `rolecall_role_person`, `rolecall_role_people`. */
  readonly one: 'person' | 'data_source';
  readonly all: 'people' | 'data_sources';
  readonly collection: MemberCollection;
  readonly key: (name: string) => string;
  /** Whether a membership may be for a time. */
  readonly hasTimes: boolean;
}

export const personMember: MemberKind = {
  kind: 'Person',
  noun: 'person',
  plural: 'people',
  one: 'person',
  all: 'people',
  collection: 'people',
  key: personKey,
  hasTimes: true,
};

export const dataSourceMember: MemberKind = {
  kind: 'DataSource',
  noun: 'data source',
  plural: 'data sources',
  one: 'data_source',
  all: 'data_sources',
  collection: 'dataSources',
  key: dataSourceKey,
  hasTimes: false,
};

/** A number of members: `1 person`, `2 people`. */
export function counted(number: number, { noun, plural }: MemberKind): string {
  return `${number} ${number === 1 ? noun : plural}`;
}

/** A person or data source in a role. */
export interface Member {
  readonly id: string;
  /** A username or an alias: what people know them by, and what is imported by. */
  readonly name: string;
  /** When a person has the role; absent: always. */
  readonly windows?: readonly MembershipWindow[];
}

/**
 * Reads the members of a role.
 *
 * @param when as they were before this command, or as they are now
 * @returns undefined when there is no such role
 */
export async function membersOf(
  { collection }: MemberKind,
  role: string,
  workspace: Workspace,
  when: 'before' | 'now',
): Promise<readonly Member[] | undefined> {
  const view = when === 'now' ? workspace.view() : workspace.before;
  if (workspace.removed.has(role)) return undefined;
  if (when === 'before' && workspace.made.has(role)) return [];
  try {
    if (collection === 'people') {
      return (await view.rolePeople(role)).all.map(({ id, username, windows }) => ({
        ...{ id, name: username },
        ...(windows && { windows }),
      }));
    }
    return (await view.roleDataSources(role)).all.map(({ id, alias, name }) => ({ id, name: alias ?? name }));
  } catch (error) {
    if (!isGone(error)) throw error;
    // Ids are not used again: the next member of the same role need not ask.
    workspace.removed.add(role);
    return undefined;
  }
}

/** What a membership refers to. @param attribute of the member, or of all of them */
export const referencesOf = ({ noun }: MemberKind, attribute: string): readonly Reference[] => [
  { kind: 'role', attribute: 'role_id' },
  { kind: noun, attribute },
];

/** The identifier of a membership: both ids. */
export const membershipId = (role: string, member: string): string => `${role}/${member}`;

/** The step that puts a member into a role. @param window when a person has the role; absent: always */
export function addStep({ kind }: MemberKind, role: string, member: string, window?: MembershipWindow): Step {
  const ends = [
    { id: role, name: role },
    { id: member, name: member },
  ] as const;
  const object = { kind: 'Role', name: role };
  return window === undefined ? addMember(kind, ...ends, object) : setWindows(...ends, [window], object, undefined);
}

/** Whether another resource of this command has a membership, or is to have it: removing it would undo that. */
export const isKeptElsewhere = (
  { collection }: MemberKind,
  role: string,
  member: string,
  { adopted, members }: Workspace,
): boolean => adopted.has(membershipId(role, member)) || members.isTaken(collection, role, member);

/** Takes members out of a role, but for those that another resource has, and those that this command deleted: they are out already. */
export async function removeMembers(
  kind: MemberKind,
  role: string,
  members: readonly string[],
  workspace: Workspace,
): Promise<void> {
  if (workspace.removed.has(role)) return;
  const present = members.filter(
    (member) => !workspace.removed.has(member) && !isKeptElsewhere(kind, role, member, workspace),
  );
  // At once, so that a list which is planned meanwhile does not count them as members that others added.
  for (const member of present) workspace.removed.add(membershipId(role, member));
  const object = { kind: 'Role', name: role };
  await workspace.run(
    present.map((member) => removeMember(kind.kind, { id: role, name: role }, { id: member, name: member }, object)),
  );
}

/** What the members of a role are managed by, one at a time or all at once: `people ID`. */
export const roleKeyOf = ({ all }: MemberKind, role: string): string => `${all} ${role}`;

/** A role that has both a list of its members and resources for single ones. */
export function bothForms(kind: MemberKind, role: string): DiagnosticError {
  return refusal(
    `Two resources manage the ${kind.plural} of one role`,
    `A rolecall_role_${kind.all} and a rolecall_role_${kind.one} have the role_id ${role}. The first one removes every member that it does not list, and the second one adds it again, for ever: put all members into rolecall_role_${kind.all}, or use rolecall_role_${kind.one} only.`,
    ['role_id'],
  );
}

/** A role that a configuration refers to, and that is not there. */
export function noSuchRole(role: string): DiagnosticError {
  return refusal(
    'No such role',
    `The workspace has no role with the id ${role}. If it was deleted in the meantime, plan again; else refer to a rolecall_role by its id, or correct it.`,
    ['role_id'],
  );
}

/**
 * Finds a membership by `role/member`, each an id or a natural key. Names may have slashes, so every place to part them
 * is tried.
 *
 * @throws DiagnosticError when several memberships match, or there is no slash
 */
export async function findMembership(
  kind: MemberKind,
  text: string,
  workspace: Workspace,
): Promise<{ role: string; member: string; windows?: Member['windows'] } | undefined> {
  const parts = text.split('/');
  if (parts.length < 2) {
    throw refusal(
      'Not a membership',
      `Write ${JSON.stringify(text)} as ROLE/${kind.one.toUpperCase()}, each an id or a name, such as analysts/${kind.noun === 'person' ? 'ada' : 'billing'}.`,
    );
  }
  const found = new Map<string, { role: string; member: string; windows?: Member['windows'] }>();
  for (let cut = 1; cut < parts.length; cut += 1) {
    const role = await findRole(parts.slice(0, cut).join('/'), workspace);
    if (role === undefined) continue;
    const name = parts.slice(cut).join('/');
    const members = (await membersOf(kind, role, workspace, 'now')) ?? [];
    const member =
      members.find(({ id }) => id === name) ?? members.find((each) => kind.key(each.name) === kind.key(name));
    if (member !== undefined)
      found.set(membershipId(role, member.id), { role, member: member.id, windows: member.windows });
  }
  if (found.size > 1) {
    throw refusal(
      'Several memberships',
      `${text} could be any of ${[...found.keys()].join(', ')}. Import one of these.`,
    );
  }
  return [...found.values()][0];
}

/** The id of a role, by its id or its name. */
export async function findRole(text: string, workspace: Workspace): Promise<string | undefined> {
  const { byId, byKey } = await workspace.view().roles();
  return (byId.get(text) ?? byKey.get(roleKey(text))?.[0])?.id;
}
