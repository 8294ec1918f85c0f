import type { Permission } from '@rolecall/api';
import { parseTimestamp, TimestampError } from '@rolecall/crds';
import { dataSourceKey, personKey } from '@rolecall/reconcile';
import { DiagnosticError, failure } from '../framework/diagnostics.ts';
import type { Workspace } from '../workspace/workspace.ts';

/**
 * Finds a permission by its id, or by `username/alias/starts_at/expires_at`; the window may be left out where the pair
 * has one permission only.
 *
 * @throws DiagnosticError where several are meant
 */
export async function findPermission(text: string, workspace: Workspace): Promise<Permission | undefined> {
  const { all, byId } = await workspace.view().permissions();
  const found = byId.get(text);
  if (found !== undefined) return found;
  const { pair, window } = split(text);
  const matching = all.filter(
    (each) => isPair(each, pair) && (window === undefined || window === `${each.startsAt}/${each.expiresAt}`),
  );
  if (matching.length > 1) throw several(pair, matching);
  return matching[0];
}

/** Permissions have no names that could be changed: what tells them apart is their windows. */
function several(pair: string, matching: readonly Permission[]): DiagnosticError {
  const each = matching.map(({ id, startsAt, expiresAt }) => `id ${id} (${pair}/${startsAt}/${expiresAt})`);
  return new DiagnosticError(
    failure(
      `Several permissions are ${pair}`,
      `The workspace has ${matching.length} permissions of ${pair}: ${each.join(', ')}. Import the one that is meant, by its id, or by what stands in brackets where one only has that window.`,
    ),
  );
}

function split(text: string): { pair: string; window: string | undefined } {
  const parts = text.split('/');
  const times = parts.slice(-2).map(normalise);
  if (parts.length < 4 || times.includes(undefined)) return { pair: text, window: undefined };
  return { pair: parts.slice(0, -2).join('/'), window: times.join('/') };
}

function normalise(text: string): string | undefined {
  try {
    return parseTimestamp(text);
  } catch (error) {
    if (error instanceof TimestampError) return undefined;
    throw error;
  }
}

/** Names may have slashes, so the names that there are, are put together rather than the text taken apart. */
function isPair({ person, dataSource }: Permission, pair: string): boolean {
  if (dataSource.alias === null) return false;
  const prefix = `${personKey(person.username)}/`;
  return (
    personKey(pair).startsWith(prefix) && dataSourceKey(pair.slice(prefix.length)) === dataSourceKey(dataSource.alias)
  );
}
