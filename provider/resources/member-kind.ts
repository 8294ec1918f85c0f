import { DiagnosticError, failure } from '../framework/diagnostics.ts';
import { isGone } from '../workspace/failures.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What can be in a role, and how: people and data sources alike. */
export interface MemberKind {
  readonly noun: 'person' | 'data source';
  readonly plural: 'people' | 'data sources';
  /** Names of the resources: `rolecall_role_person`, `rolecall_role_people`. */
  readonly one: 'person' | 'data_source';
  readonly all: 'people' | 'data_sources';
  readonly collection: 'people' | 'dataSources';
  readonly add: (workspace: Workspace, role: string, member: string) => Promise<unknown>;
  readonly remove: (workspace: Workspace, role: string, member: string) => Promise<unknown>;
}

export const personMember: MemberKind = {
  noun: 'person',
  plural: 'people',
  one: 'person',
  all: 'people',
  collection: 'people',
  add: (workspace, role, person) => workspace.call('addRolePerson', { params: { role, person } }),
  remove: (workspace, role, person) => workspace.call('removeRolePerson', { params: { role, person } }),
};

export const dataSourceMember: MemberKind = {
  noun: 'data source',
  plural: 'data sources',
  one: 'data_source',
  all: 'data_sources',
  collection: 'dataSources',
  add: (workspace, role, dataSource) => workspace.call('addRoleDataSource', { params: { role, dataSource } }),
  remove: (workspace, role, dataSource) => workspace.call('removeRoleDataSource', { params: { role, dataSource } }),
};

/** Somebody or something in a role. */
export interface Member {
  readonly id: string;
  /** A username or an alias: what people know them by, and what is imported by. */
  readonly name: string;
}

/**
 * Who is in a role.
 *
 * @param when as it was before this command, or as it is now
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
      return (await view.rolePeople(role)).all.map(({ id, username }) => ({ id, name: username }));
    }
    return (await view.roleDataSources(role)).all.map(({ id, alias, name }) => ({ id, name: alias ?? name }));
  } catch (error) {
    if (!isGone(error)) throw error;
    // Ids are not used again: the next member of the same role need not ask.
    workspace.removed.add(role);
    return undefined;
  }
}

/** Takes a member out; who is out already, or gone, is as they should be. */
export async function removeMember(
  kind: MemberKind,
  workspace: Workspace,
  role: string,
  member: string,
): Promise<void> {
  if (workspace.removed.has(role) || workspace.removed.has(member)) return;
  try {
    await kind.remove(workspace, role, member);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** A role that a configuration refers to, and that is not there. */
export function noSuchRole(role: string): DiagnosticError {
  return new DiagnosticError(
    failure(
      'No such role',
      `The workspace has no role with the id ${role}. Refer to a rolecall_role by its id, or correct it.`,
      ['role_id'],
    ),
  );
}
