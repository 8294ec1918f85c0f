import { shortTime } from '@rolecall/reconcile';
import type { Workspace } from '../workspace/workspace.ts';

/** Whether nothing hangs on a person. */
export async function isUnused(person: string, workspace: Workspace): Promise<boolean> {
  return (await falloutOf(person, workspace)).length === 0;
}

/** What goes with a person who is deleted, in words. */
export async function describePersonFallout(person: string, workspace: Workspace): Promise<string> {
  const parts = await falloutOf(person, workspace);
  return parts.length === 0 ? 'Nothing else falls with that.' : `With that fall ${parts.join('; ')}.`;
}

/** Reads the permissions, the snippets and the person's roles. */
async function falloutOf(person: string, { before }: Workspace): Promise<readonly string[]> {
  const [roles, permissions, snippets] = await Promise.all([
    before.personRoles(person),
    before.permissions(),
    before.snippets(),
  ]);
  return [
    ...list(
      'the roles',
      roles.map(({ name }) => name),
    ),
    ...list(
      'the permissions',
      permissions.all
        .filter((permission) => permission.person.id === person)
        .map(({ dataSource, expiresAt }) => `on ${dataSource.alias ?? dataSource.name} until ${shortTime(expiresAt)}`),
    ),
    ...list(
      'as their owner the snippets',
      snippets.all
        .filter(({ ownerPerson }) => ownerPerson?.id === person)
        .map(({ activeVersion }) => activeVersion.name),
    ),
  ];
}

function list(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${what} ${names.join(', ')}`];
}
