import { ConnectionUriError, formatConnectionUri, parseConnectionUri, readConnectionUri } from '@rolecall/api';
import type { Fault } from '../plugin/framework/schema.ts';
import type { Value } from '../plugin/values/value.ts';

/** A URI with its password would be in the state and in every plan. */
export function checkUri(value: Value): Fault | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    if (parseConnectionUri(value).password === undefined) return undefined;
    return {
      message: 'carries a password, which would be in the state and in plans',
      remedy: 'Take it out, and give it by password_wo and password_wo_version.',
    };
  } catch (error) {
    if (!(error instanceof ConnectionUriError)) throw error;
    return { message: error.message, remedy: 'Write it as in postgresql://reporting@db.internal:5432/billing.' };
  }
}

/** Why a password cannot go with a URI; a URI that is wrong by itself is reported elsewhere. */
export function passwordObstacle(uri: string): Fault | undefined {
  if (checkUri(uri) !== undefined) return undefined;
  const { type, user } = parseConnectionUri(uri);
  if (type === 'sqlite') {
    return { message: 'cannot go with a sqlite URI, which names a file', remedy: 'Leave the password out.' };
  }
  if (user !== undefined) return undefined;
  return {
    message: 'needs a user in uri, which has none',
    remedy: `Write the user there, as in ${type}://reporting@db.internal/billing, or leave the password out.`,
  };
}

export function withPassword(uri: string, password: string | undefined): string {
  return password === undefined ? uri : formatConnectionUri({ ...parseConnectionUri(uri), password });
}

export function withoutPassword(uri: string): string {
  const { password: _left, ...rest } = readConnectionUri(uri);
  return formatConnectionUri(rest);
}
