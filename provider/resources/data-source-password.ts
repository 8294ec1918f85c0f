import { type DataSource, parseConnectionUri, readConnectionUri } from '@rolecall/api';
import { compareConnections } from '@rolecall/reconcile';
import { DiagnosticError, failure, type Report } from '../plugin/framework/diagnostics.ts';
import { isSame, isUnknown, type ObjectValue, type Value } from '../plugin/values/value.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { passwordObstacle } from './data-source-uri.ts';
import { fingerprint } from './fingerprint.ts';
import { needText, textOf } from './values.ts';

/** The passwords of data sources: declared write-only or in the state, sent with the URI, and remembered by a fingerprint. */

/** Checks how the three attributes of a password go together. */
export function validatePasswords(config: ObjectValue, report: Report): void {
  const { password = null, password_wo: writeOnly = null, password_wo_version: version = null } = config;
  if (isGiven(password) && isGiven(writeOnly)) {
    report(
      failure('Two passwords', 'Give password_wo or password, not both; password_wo is stored nowhere.', ['password']),
    );
  }
  if (isGiven(writeOnly) && version === null) {
    report(
      failure(
        'password_wo needs password_wo_version',
        'Terraform stores nothing of password_wo, so it cannot see that it changes. Set password_wo_version = 1, and another number with each new password.',
        ['password_wo'],
      ),
    );
  }
  if (writeOnly === null && isGiven(version)) {
    report(
      failure(
        'password_wo_version needs password_wo',
        'password_wo is null or left out, so there is no password to send. Give it (where it comes from a variable, set that for every plan), or leave password_wo_version out too, which leaves the password alone that the workspace has.',
        ['password_wo_version'],
      ),
    );
  }
  refuseObstacle(config, report);
}

/** The service would keep no password for such a URI, or one of nobody. */
function refuseObstacle(config: ObjectValue, report: Report): void {
  const uri = textOf(config, 'uri');
  const name = ['password_wo', 'password'].find((each) => textOf(config, each) !== undefined);
  if (uri === undefined || name === undefined) return;
  const fault = passwordObstacle(uri);
  if (fault !== undefined) report(failure(`Invalid ${name}`, `${name} ${fault.message}. ${fault.remedy}`, [name]));
}

function isGiven(value: Value): boolean {
  return value !== null && !isUnknown(value);
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

/** Whether a plan has a password, or will. A version alone is none. */
export function isPasswordDeclared(planned: Readonly<Record<string, Value>>, config: ObjectValue): boolean {
  return (planned['password'] ?? null) !== null || (config['password_wo'] ?? null) !== null;
}

/** What the private state keeps of a data source. */
export function remember({ id }: DataSource, password: string | undefined) {
  return { id, ...(password === undefined ? {} : fingerprint(password)) };
}

/**
 * A changed connection is sent as a whole. Without a declared password the one that the service has would be lost, or
 * sent to another host that nobody meant it for.
 *
 * @throws DiagnosticError where that would be so
 */
export async function refuseLostPassword(
  id: string,
  planned: Readonly<Record<string, Value>>,
  config: ObjectValue,
  workspace: Workspace,
): Promise<void> {
  const uri = textOf(planned, 'uri');
  if (uri === undefined || isPasswordDeclared(planned, config)) return;
  keptPassword(uri, (await workspace.view().dataSourceDetail(id)).configUri);
}

/**
 * The password to send with a URI: the declared one, or the one that the service has where only the spelling of the URI
 * changes. A value that the plan did not know may have turned out to be null, so this is asked again while applying.
 *
 * @throws DiagnosticError where a password would be lost
 */
export async function passwordToSend(
  id: string,
  planned: ObjectValue,
  config: ObjectValue,
  workspace: Workspace,
): Promise<string | undefined> {
  const declared = passwordIn(planned, config);
  if (declared !== undefined) return declared;
  return keptPassword(needText(planned, 'uri'), (await workspace.view().dataSourceDetail(id)).configUri);
}

/**
 * The password that the service goes on with when it is sent a URI for which none is declared.
 *
 * @param found the URI that the service has
 * @throws DiagnosticError where that would be another connection
 */
export function keptPassword(uri: string, found: string): string | undefined {
  const current = readConnectionUri(found);
  if (current.password === undefined) return undefined;
  if (compareConnections(parseConnectionUri(uri), current).length === 0) return current.password;
  throw new DiagnosticError(
    failure(
      'The password would be lost',
      'The connection changes, which sends the whole URI, and the workspace has a password for it that the configuration does not declare. Declare password_wo with password_wo_version, so that it is not lost, nor sent to another host unasked.',
      ['uri'],
    ),
  );
}
