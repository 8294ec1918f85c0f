import { shortTime } from '@rolecall/reconcile';
import type { Workspace } from '../workspace/workspace.ts';

/** What goes with a data source that is deleted, in words. Reads the permissions. */
export async function describeDataSourceFallout(dataSource: string, { before }: Workspace): Promise<string> {
  const permissions = (await before.permissions()).all
    .filter((permission) => permission.dataSource.id === dataSource)
    .map(({ person, expiresAt }) => `of ${person.username} until ${shortTime(expiresAt)}`);
  const fall = permissions.length === 0 ? '' : ` and the permissions ${permissions.join(', ')}`;
  return `With that fall its places in roles${fall}.`;
}
