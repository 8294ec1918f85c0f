import { isDeepStrictEqual } from 'node:util';
import { type ConnectionUri, parseConnectionUri } from '@rolecall/api';

/**
 * Describes changes to the parts of a connection URI that no list shows: that they changed, never what they are.
 *
 * @param before undefined for a new data source
 */
export function uriSecrets(before: string | undefined, after: string): string[] {
  const now = parseConnectionUri(after);
  const then = before === undefined ? undefined : parseConnectionUri(before);
  return [...passwordChange(then?.password, now.password), ...restChange(then, now)];
}

function passwordChange(before: string | undefined, after: string | undefined): string[] {
  if (before === after) return [];
  if (before === undefined) return ['password set'];
  return [after === undefined ? 'password removed' : 'password changed'];
}

function restChange(before: ConnectionUri | undefined, after: ConnectionUri): string[] {
  if (before === undefined) return [];
  const same = before.database === after.database && isDeepStrictEqual(before.parameters, after.parameters);
  return same ? [] : ['database or parameters changed'];
}
