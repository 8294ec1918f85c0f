import { type DataSource, parseConnectionUri, readConnectionUri } from '@rolecall/api';
import { compareConnections } from '@rolecall/reconcile';
import { DiagnosticError, failure, type Report } from '../framework/diagnostics.ts';
import { isSame, isUnknown, type ObjectValue, type Value } from '../values/value.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { fingerprint } from './fingerprint.ts';
import { textOf } from './values.ts';

/** The passwords of data sources: declared write-only or in the state, sent with the URI, and remembered by a fingerprint. */

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

/** The declared password; undefined where the configuration has none. */
export function passwordIn(planned: ObjectValue, config: ObjectValue): string | undefined {
  return textOf(config, 'password_wo') ?? textOf(planned, 'password');
}

/**
 * Whether an update has a password to send. One that is no longer declared is left alone.
 *
 * @param password the declared one
 */
export function isNewPassword(prior: ObjectValue, planned: ObjectValue, password: string | undefined): boolean {
  if (password === undefined) return false;
  return (
    !isSame('string', prior['password'] ?? null, planned['password'] ?? null) ||
    !isSame('number', prior['password_wo_version'] ?? null, planned['password_wo_version'] ?? null)
  );
}

/** Whether a plan has a password, or will. */
export function isPasswordDeclared(planned: Readonly<Record<string, Value>>): boolean {
  return planned['password'] !== null || planned['password_wo_version'] !== null;
}

/** What the private state keeps of a data source. */
export function remember({ id }: DataSource, password: string | undefined) {
  return { id, ...(password === undefined ? {} : fingerprint(password)) };
}

/**
 * A changed connection is sent as a whole. Without a declared password the one that the service has would be lost, or
 * sent to another host that nobody meant it for.
 */
export async function refuseLostPassword(
  id: string,
  planned: Readonly<Record<string, Value>>,
  workspace: Workspace,
): Promise<void> {
  const uri = textOf(planned, 'uri');
  if (uri === undefined || isPasswordDeclared(planned)) return;
  const current = readConnectionUri((await workspace.view().dataSourceDetail(id)).configUri);
  if (current.password === undefined || compareConnections(parseConnectionUri(uri), current).length === 0) return;
  throw new DiagnosticError(
    failure(
      'The password would be lost',
      'The connection changes, which sends the whole URI, and the workspace has a password for it that the configuration does not declare. Declare password_wo with password_wo_version, so that it is not lost, nor sent to another host unasked.',
      ['uri'],
    ),
  );
}
