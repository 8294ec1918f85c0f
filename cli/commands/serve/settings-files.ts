import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { visible } from '@rolecall/reconcile';
import {
  type OidcIssuer,
  parseOidc,
  parseTrust,
  SettingsError,
  type SettingsProblem,
  type TrustRule,
} from '@rolecall/server';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import type { ErrorCode } from '../../error-codes.ts';
import { CliError } from '../../errors.ts';
import { type Environment, namedVariable } from '../../process/io.ts';
import { fromFile } from '../../secrets/secret-source.ts';

/** Reads which providers people sign in with, and the secrets that the file names. @throws CliError that names the line and the field */
export function readOidc(file: string, env: Environment): OidcIssuer[] {
  const issuers = readSettings('--oidc', file, parseOidc, { code: 'ERR_OIDC', docs: 'docs/people.md' });
  return issuers.map((issuer) => ({ ...issuer, clientSecret: clientSecretOf(issuer, file, env) }));
}

function clientSecretOf({ id, clientSecretFile, clientSecretEnv }: OidcIssuer, file: string, env: Environment) {
  const fail = (why: string) => new CliError('ERR_OIDC', `--oidc ${visible(file)}: the issuer ${id}: ${visible(why)}`);
  if (clientSecretFile !== undefined) {
    const lookup = fromFile(resolve(dirname(file), clientSecretFile));
    if ('fault' in lookup) throw fail(`clientSecretFile ${lookup.fault}`);
    return lookup.secret.trim();
  }
  if (clientSecretEnv === undefined) return undefined;
  const secret = namedVariable(env, clientSecretEnv);
  if (secret === undefined) throw fail(`the variable ${clientSecretEnv} of clientSecretEnv is not set`);
  return secret;
}

/** Reads which tokens of pipelines are exchanged for API keys. @throws CliError that names the line and the field */
export function readTrust(file: string): TrustRule[] {
  return readSettings('--trust', file, parseTrust, { code: 'ERR_TRUST', docs: 'docs/service.md' });
}

function readSettings<T>(
  option: string,
  file: string,
  parse: (value: unknown) => T,
  { code, docs }: { code: ErrorCode; docs: string },
): T {
  const lines = new LineCounter();
  const document = parseDocument(readFileSync(file, 'utf8'), { lineCounter: lines, prettyErrors: false });
  const [syntax] = document.errors;
  if (syntax !== undefined) {
    const { line } = lines.linePos(syntax.pos[0]);
    throw new CliError(
      code,
      `${option} is no YAML. ${visible(file)}:${line}: ${visible(syntax.message)}. ${docs} has examples`,
    );
  }
  try {
    return parse(document.toJS({ maxAliasCount: 0 }));
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const told = error.problems.map(({ path, message }) => {
      const { line } = lines.linePos(rangeOf(document, path));
      return `${visible(file)}:${line}: ${path.length === 0 ? 'it' : visible(path.join('.'))} ${message}`;
    });
    throw new CliError(code, `${option} has errors. ${told.join('; ')}. ${docs} has examples`);
  }
}

/** Returns the offset at which a field begins, or that of the object in which it is missing. */
function rangeOf(document: Document, path: SettingsProblem['path']): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range !== null && node.range !== undefined) return node.range[0];
  }
  return 0;
}
