/** Memberships of roles: read, found, given and taken. */

import type { MembershipWindow } from '@rolecall/api';
import { addMember, removeMember, roleKey, type Step, setWindows } from '@rolecall/reconcile';
import { type DiagnosticError, refusal } from '../../plugin/framework/diagnostics.ts';
import { isGone } from '../../workspace/failures.ts';
import { type MemberKind, membershipId, membershipOf } from '../../workspace/members.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Reference } from '../shared/references.ts';

/** A person or data source in a role. */
export interface Member {
  readonly id: string;
  /** A username or an alias: what people know them by, and what is imported by. */
  readonly name: string;
  /** The times at which a person has the role. If omitted: always. */
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
  const object = roleOf(role);
  if (workspace.ledger.has(object, 'removed')) return undefined;
  if (when === 'before' && workspace.ledger.has(object, 'made')) return [];
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
    workspace.ledger.note(object, 'removed');
    return undefined;
  }
}

/** A role as an object of the ledger. */
export const roleOf = (id: string) => ({ type: 'rolecall_role', id });

/** References of a membership. @param attribute of the member, or of all of them */
export const referencesOf = ({ noun }: MemberKind, attribute: string): readonly Reference[] => [
  { kind: 'role', attribute: 'role_id' },
  { kind: noun, attribute },
];

/** The step that puts a member into a role. @param window when a person has the role; absent: always */
export function addStep({ kind }: MemberKind, role: string, member: string, window?: MembershipWindow): Step {
  const ends = [
    { id: role, name: role },
    { id: member, name: member },
  ] as const;
  const object = { kind: 'Role', name: role };
  return window === undefined ? addMember(kind, ...ends, object) : setWindows(...ends, [window], object, undefined);
}

/** True if another resource of this command has a membership, or is to have it: removing it would undo that. */
export const isKeptElsewhere = (kind: MemberKind, role: string, member: string, { ledger }: Workspace): boolean =>
  ledger.has(membershipOf(kind, role, member), 'adopted', 'had by list', 'had by single');

/** Takes members out of a role, but for those that another resource has, and those that this command deleted: they are out already. */
export async function removeMembers(
  kind: MemberKind,
  role: string,
  members: readonly string[],
  workspace: Workspace,
): Promise<void> {
  const { ledger } = workspace;
  if (ledger.has(roleOf(role), 'removed')) return;
  const present = members.filter(
    (member) =>
      !ledger.has({ type: kind.type, id: member }, 'removed') && !isKeptElsewhere(kind, role, member, workspace),
  );
  // At once, so that a list which is planned meanwhile does not count them as members that others added.
  for (const member of present) ledger.note(membershipOf(kind, role, member), 'removed');
  const object = { kind: 'Role', name: role };
  await workspace.run(
    present.map((member) => removeMember(kind.kind, { id: role, name: role }, { id: member, name: member }, object)),
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
      `Write ${JSON.stringify(text)} as ROLE/${kind.noun.toUpperCase().replace(' ', '_')}, each an id or a name, such as analysts/${kind.noun === 'person' ? 'ada' : 'billing'}.`,
    );
  }
  const memberships = new Map<string, { role: string; member: string; windows?: Member['windows'] }>();
  for (let cut = 1; cut < parts.length; cut += 1) {
    const role = await findRole(parts.slice(0, cut).join('/'), workspace);
    if (role === undefined) continue;
    const name = parts.slice(cut).join('/');
    const members = (await membersOf(kind, role, workspace, 'now')) ?? [];
    const member =
      members.find(({ id }) => id === name) ?? members.find((candidate) => kind.key(candidate.name) === kind.key(name));
    if (member !== undefined)
      memberships.set(membershipId(role, member.id), { role, member: member.id, windows: member.windows });
  }
  if (memberships.size > 1) {
    throw refusal(
      'Several memberships',
      `${text} could be any of ${[...memberships.keys()].join(', ')}. Import one of these.`,
    );
  }
  return [...memberships.values()][0];
}

/** The id of a role, by its id or its name. */
export async function findRole(text: string, workspace: Workspace): Promise<string | undefined> {
  const { byId, byKey } = await workspace.view().roles();
  return (byId.get(text) ?? byKey.get(roleKey(text))?.[0])?.id;
}
