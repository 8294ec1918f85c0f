import type { MembershipWindow } from '@rolecall/api';
import { type MemberKind, named } from './desired.ts';
import { dataSourceKey, personKey, roleKey } from './keys.ts';
import { windowWords } from './membership-window.ts';
import { differs, idOf, makeStep, missing, type Reference, type Step, stepId } from './step.ts';

interface End {
  id: string | Reference;
  name: string;
  /** True if the name is no natural key, so that others may have it too: a data source without an alias was read. */
  isKeyless?: boolean;
}

/** By natural keys: a role's list and an object of its own may write the same username in different ways. */
function membershipId(operation: Step['operation'], kind: MemberKind, role: End, member: End): string {
  // The empty key keeps an id from looking like an alias.
  if (member.isKeyless === true) return stepId(operation, roleKey(role.name), '', idOf(member.id));
  return stepId(operation, roleKey(role.name), kind === 'Person' ? personKey(member.name) : dataSourceKey(member.name));
}

/** The call that puts a person or data source into a role. Its id is the same whichever object asks for it. */
export function addMember(kind: MemberKind, role: End, member: End, object: Step['object']): Step {
  const call =
    kind === 'Person'
      ? ({ operation: 'addRolePerson', params: { role: role.id, person: member.id } } as const)
      : ({ operation: 'addRoleDataSource', params: { role: role.id, dataSource: member.id } } as const);
  return {
    ...call,
    id: membershipId(call.operation, kind, role, member),
    object: named(object),
    summary: `add ${member.name} to ${role.name}`,
    reason: missing,
    effect: 'grant',
    after: [],
  };
}

/**
 * The call that lets a person have a role at certain times.
 *
 * @param previous what holds now: the times, `always`, or nothing where they are not in the role
 */
export function setWindows(
  role: End,
  member: End,
  windows: readonly MembershipWindow[],
  object: Step['object'],
  previous: readonly MembershipWindow[] | 'always' | undefined,
): Step {
  const from = previous === 'always' ? previous : previous && windowWords(previous);
  const to = windowWords(windows);
  return {
    id: membershipId('setRolePersonWindows', 'Person', role, member),
    operation: 'setRolePersonWindows',
    params: { role: role.id, person: member.id },
    body: { windows },
    object: named(object),
    summary:
      previous === undefined
        ? `add ${member.name} to ${role.name} ${to}`
        : `let ${member.name} be in ${role.name} ${to}`,
    reason: previous === undefined ? missing : differs,
    effect: previous === undefined ? 'grant' : 'change',
    ...(from === undefined ? {} : { changes: [{ field: 'windows', from, to }] }),
    // Where another definition has them added: a plain membership would end the times.
    after: [membershipId('addRolePerson', 'Person', role, member)],
  };
}

/** The call that takes a person or data source out of a role. */
export function removeMember(kind: MemberKind, role: End, member: End, object: Step['object']): Step {
  const call =
    kind === 'Person'
      ? ({ operation: 'removeRolePerson', params: { role: role.id, person: member.id } } as const)
      : ({ operation: 'removeRoleDataSource', params: { role: role.id, dataSource: member.id } } as const);
  return {
    ...call,
    id: membershipId(call.operation, kind, role, member),
    object: named(object),
    summary: `remove ${member.name} from ${role.name}`,
    reason: 'in the role, and not declared',
    effect: 'revoke',
    after: [],
  };
}

/**
 * The call that deletes what has no cascade to be looked at: people and permissions have calls of their own.
 *
 * @param target its kind, its id on the server, and its name there, for readers of the plan
 */
export function deleteStep(
  { kind, id, name }: { kind: 'DataSource' | 'Role' | 'Snippet'; id: string; name: string },
  object: Step['object'],
  reason: string,
): Step {
  const rest = { summary: `delete ${name}`, reason, effect: 'remove' } as const;
  switch (kind) {
    case 'DataSource':
      return makeStep('deleteDataSource', [id], object, { params: { dataSource: id }, ...rest });
    case 'Role':
      return makeStep('deleteRole', [id], object, { params: { role: id }, ...rest });
    case 'Snippet':
      return makeStep('deleteSnippet', [id], object, { params: { snippet: id }, ...rest });
  }
}
