import { shortTime } from '@rolecall/reconcile';
import type { Workspace } from '../workspace/workspace.ts';

const nothing = 'Nothing else falls with that.';

/** Whether nothing hangs on a person. */
export async function isUnused(person: string, workspace: Workspace): Promise<boolean> {
  return (await describeFallout(person, workspace)) === nothing;
}

/** What goes with a person who is deleted, in words. Reads the permissions, the snippets and the person's roles. */
export async function describeFallout(person: string, { before }: Workspace): Promise<string> {
  const [roles, permissions, snippets] = await Promise.all([
    before.personRoles(person),
    before.permissions(),
    before.snippets(),
  ]);
  const parts = [
    list(
      'the roles',
      roles.map(({ name }) => name),
    ),
    list(
      'the permissions',
      permissions.all
        .filter((permission) => permission.person.id === person)
        .map(({ dataSource, expiresAt }) => `on ${dataSource.alias ?? dataSource.name} until ${shortTime(expiresAt)}`),
    ),
    list(
      'as their owner the snippets',
      snippets.all
        .filter(({ ownerPerson }) => ownerPerson?.id === person)
        .map(({ activeVersion }) => activeVersion.name),
    ),
  ].filter((part) => part !== '');
  return parts.length === 0 ? nothing : `With that fall ${parts.join('; ')}.`;
}

function list(what: string, names: readonly string[]): string {
  return names.length === 0 ? '' : `${what} ${names.join(', ')}`;
}
