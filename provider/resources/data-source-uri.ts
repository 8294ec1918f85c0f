import { ConnectionUriError, formatConnectionUri, parseConnectionUri } from '@rolecall/api';
import { failure, type Report } from '../framework/diagnostics.ts';
import type { Fault } from '../framework/schema.ts';
import { isUnknown, type ObjectValue, type Value } from '../values/value.ts';

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

export function withPassword(uri: string, password: string | undefined): string {
  return password === undefined ? uri : formatConnectionUri({ ...parseConnectionUri(uri), password });
}

export function withoutPassword(uri: string): string {
  const { password: _left, ...rest } = parseConnectionUri(uri);
  return formatConnectionUri(rest);
}

/** Checks how the three attributes of a password go together. */
export function validatePasswords(config: ObjectValue, report: Report): void {
  const { password = null, password_wo: writeOnly = null, password_wo_version: version = null } = config;
  if (isUnknown(password) || isUnknown(writeOnly) || isUnknown(version)) return;
  if (password !== null && writeOnly !== null) {
    report(
      failure('Two passwords', 'Give password_wo or password, not both; password_wo is stored nowhere.', ['password']),
    );
  }
  if (writeOnly !== null && version === null) {
    report(
      failure(
        'password_wo needs password_wo_version',
        'Terraform stores nothing of password_wo, so it cannot see that it changes. Set password_wo_version = 1, and another number with each new password.',
        ['password_wo'],
      ),
    );
  }
}
