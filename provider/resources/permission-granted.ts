import type { Permission } from '@rolecall/api';
import { pairKey } from '@rolecall/reconcile';
import type { Value } from '../values/value.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { isWindow, type WindowWish } from './permission-window.ts';
import { isKnown, textOf } from './values.ts';

/**
 * A permission in the workspace that is what is planned, and that no other resource of this command takes: none does after this.
 *
 * @param taken notes it as well
 */
export async function findGranted(
  planned: Readonly<Record<string, Value>>,
  workspace: Workspace,
  own: string | undefined,
  taken: Set<string> = workspace.arriving,
): Promise<Permission | undefined> {
  const [person, dataSource] = [textOf(planned, 'person_id'), textOf(planned, 'data_source_id')];
  if (person === undefined || dataSource === undefined || !isKnown(planned, 'duration')) return undefined;
  const wish: WindowWish = {
    startsAt: textOf(planned, 'starts_at'),
    expiresAt: textOf(planned, 'expires_at'),
    duration: textOf(planned, 'duration'),
  };
  const { byKey } = await workspace.before.permissions();
  const free = (byKey.get(pairKey(person, dataSource)) ?? []).filter(
    ({ id }) => id !== own && !workspace.removed.has(id) && !workspace.arriving.has(id),
  );
  const found = free.find((each) => isWindow(each, wish, workspace.now()));
  // At once: another resource of the same window waits for the same list, and would take the same one.
  if (found !== undefined) for (const set of [workspace.arriving, taken]) set.add(found.id);
  return found;
}
