/** The connection of a data source: its URI, and the password that goes with it, which is declared write-only or in the state. */

import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import {
  ConnectionUriError,
  type DataSource,
  findTlsWeakness,
  formatConnectionUri,
  parseConnectionUri,
  readConnectionUri,
} from '@rolecall/api';
import { compareConnections } from '@rolecall/reconcile';
import { failure, type Report, refusal, warning } from '../../plugin/framework/diagnostics.ts';
import type { Private } from '../../plugin/framework/resource.ts';
import type { Fault } from '../../plugin/framework/schema.ts';
import { isSame, isUnknown, type ObjectValue, type Value } from '../../plugin/values/value.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { needText, textOf } from '../shared/values.ts';

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
function passwordObstacle(uri: string): Fault | undefined {
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

export function withoutPassword(uri: string): string {
  const { password: _left, ...rest } = readConnectionUri(uri);
  return formatConnectionUri(rest);
}

/** Checks what no attribute alone can tell: the three attributes of a password, and the TLS of the connection. */
export function validateConnection(config: ObjectValue, report: Report): void {
  validatePasswords(config, report);
  const uri = textOf(config, 'uri');
  const weak = uri === undefined ? undefined : findTlsWeakness(uri);
  if (weak === undefined) return;
  const what = `${textOf(config, 'alias') ?? 'The data source'} ${weak.weakness}.`;
  report(warning('TLS is not checked', `${what} Add ${weak.remedy} to the URI.`, ['uri']));
}

function validatePasswords(config: ObjectValue, report: Report): void {
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

/** The service would drop the password of a URI without a user. */
function refuseObstacle(config: ObjectValue, report: Report): void {
  const uri = textOf(config, 'uri');
  const name = ['password_wo', 'password'].find((attribute) => textOf(config, attribute) !== undefined);
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
 * True if an update has a password to send. One that is no longer declared is left alone.
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

/** True if a plan has a password, or will. A version alone is none. */
export function isPasswordDeclared(planned: ObjectValue, config: ObjectValue): boolean {
  return (planned['password'] ?? null) !== null || (config['password_wo'] ?? null) !== null;
}

/** The part of a data source that the private state keeps. */
export function remember({ id }: DataSource, password: string | undefined) {
  return { id, ...(password === undefined ? {} : fingerprint(password)) };
}

/**
 * Refuses a changed connection whose password is not declared: the whole URI is sent, so that the password which the service
 * has would be lost, or sent to a host that it is not meant for.
 *
 * @throws DiagnosticError where that would be so
 */
export async function refuseLostPassword(
  id: string,
  planned: ObjectValue,
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
 * @param currentUri the URI that the service has
 * @throws DiagnosticError where that would be another connection
 */
export function keptPassword(uri: string, currentUri: string): string | undefined {
  const current = readConnectionUri(currentUri);
  if (current.password === undefined) return undefined;
  if (compareConnections(parseConnectionUri(uri), current).length === 0) return current.password;
  const { type } = parseConnectionUri(uri);
  const remedy =
    type === 'sqlite'
      ? 'A sqlite URI takes none: remove the resource, apply that, and declare it again.'
      : 'Declare password_wo with password_wo_version, so that it is not lost, and not sent to another host.';
  throw refusal(
    'The password would be lost',
    `The connection changes, which sends the whole URI, and the workspace has a password for it that the configuration does not declare. ${remedy}`,
    ['uri'],
  );
}

/** Cheap enough for a refresh, and too dear to try many passwords on what is in a state. */
const cost = { N: 16_384, r: 8, p: 1 };
const length = 32;

/** Fingerprint of a password in Terraform's private state: enough to see that another one was set, and nothing else. */
function fingerprint(password: string): Private {
  const salt = randomBytes(16);
  return { salt: salt.toString('base64'), fingerprint: scryptSync(password, salt, length, cost).toString('base64') };
}

/** True if a password is the remembered one; where none is remembered there is nothing to compare. */
export function hasFingerprint({ salt, fingerprint: remembered }: Private, password: string | undefined): boolean {
  if (salt === undefined || remembered === undefined) return true;
  if (password === undefined) return false;
  const digest = scryptSync(password, Buffer.from(salt, 'base64'), length, cost);
  const expected = Buffer.from(remembered, 'base64');
  return expected.length === digest.length && timingSafeEqual(digest, expected);
}
