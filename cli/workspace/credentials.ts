import type { CrossIssue, DefinitionOf } from '@rolecall/crds';
import { secretUnavailable } from '../definitions/problems.ts';
import type { ErrorCode } from '../error-codes.ts';
import { CliError } from '../errors.ts';
import { type Environment, variable } from '../process/io.ts';
import { fromFile, lookUpSecret } from '../secrets/secret-source.ts';
import { secretVariable } from '../secrets/secret-variable.ts';
import { type FoundToken, findToken, noToken, type TokenFlags, tokenFlag, tokenVariable } from './id-token.ts';
import { findKeyMistake, type KeyMistake, type KeyPart, keyParts } from './key-mistakes.ts';

interface ApiKey {
  keyId: string;
  keySecret: string;
}

/** An API key, and the setting that each part comes from. */
export interface FoundKey extends ApiKey {
  by: 'key';
  sources: { keyId: string; keySecret: string };
}

export interface CredentialFlags extends TokenFlags {
  keyId?: string;
  keySecretFile?: string;
}

type Workspace = DefinitionOf<'Workspace'>;

/** Credential of a command; or its fault in the flags or the environment, or issues of a definition. */
export type FoundCredentials = FoundKey | FoundToken | { fault: CliError } | { issues: CrossIssue[] };

/** The parts of a key that were found, each with the beginning of a sentence about it (`ROLECALL_KEY_ID`). */
type Parts = { readonly [name in KeyPart]?: { text: string; place: string } | undefined };

/**
 * Finds the API key, or the token that takes its place: flags before the environment before the Workspace definition before
 * the runner of GitHub. A key and its secret belong together, so a definition is only used where neither flags nor the
 * environment give a part.
 *
 * @returns a fault names the missing or malformed part, or the two settings that exclude each other, and never contains a secret
 */
export function findCredentials(
  flags: CredentialFlags,
  env: Environment,
  workspace: Workspace | undefined,
): FoundCredentials {
  const token = tokenFlag(flags) ?? (keyFlag(flags) === undefined ? tokenVariable(env) : undefined);
  if (token === undefined) return findKey(flags, env, workspace);
  const key = token.startsWith('--') ? keyFlag(flags) : keyVariable(env);
  if (key !== undefined)
    return refused(
      'ERR_TWO_IDENTITIES',
      `an API key (${key}) and a token that takes its place (${token}) are given: remove one of the two`,
    );
  return findToken(flags, env) ?? { fault: noToken() };
}

/** The flag that gives a part of a key, if any does. */
function keyFlag({ keyId, keySecretFile }: CredentialFlags): string | undefined {
  if (keyId !== undefined) return '--key-id';
  return keySecretFile === undefined ? undefined : '--key-secret-file';
}

/** The variable that gives a part of a key, if any does. */
function keyVariable(env: Environment): string | undefined {
  const names = ['ROLECALL_KEY_ID', 'ROLECALL_KEY_SECRET'] as const;
  return names.find((name) => variable(env, name) !== undefined);
}

function findKey(flags: CredentialFlags, env: Environment, workspace: Workspace | undefined): FoundCredentials {
  const given = givenParts(flags, env);
  if ('fault' in given) return given;
  const mistake = mistakeIn(given);
  if (mistake !== undefined) return refused('ERR_KEY_FORM', `${mistake.fault}. ${mistake.remedy}`);
  const { id, secret } = given;
  if (id !== undefined && secret !== undefined) {
    const sources = { keyId: sourceOf(id), keySecret: sourceOf(secret) };
    return { by: 'key', keyId: id.text, keySecret: secret.text, sources };
  }
  if (id === undefined && secret === undefined) {
    const { credentialsFrom } = workspace?.spec ?? {};
    if (workspace !== undefined && credentialsFrom !== undefined)
      return fromDefinition(workspace, credentialsFrom, env);
    return (
      findToken(flags, env) ??
      missing(
        'the API key is missing: set ROLECALL_KEY_ID and ROLECALL_KEY_SECRET ("rolecall keys create" makes a key), or declare credentialsFrom in a Workspace; in a pipeline, give the token of its platform instead (--id-token-file)',
      )
    );
  }
  return id === undefined
    ? missing('the id of the API key is missing, but its secret is set: set ROLECALL_KEY_ID, or give --key-id')
    : missing(
        'the secret of the API key is missing, but its id is set: set ROLECALL_KEY_SECRET, or give --key-secret-file',
      );
}

/** The parts of a key that flags and the environment give. */
function givenParts({ keyId, keySecretFile }: CredentialFlags, env: Environment): Parts | { fault: CliError } {
  const lookup = keySecretFile === undefined ? undefined : fromFile(keySecretFile);
  if (lookup !== undefined && 'fault' in lookup) return missing(`--key-secret-file ${lookup.fault}`);
  const inFile =
    lookup === undefined ? {} : partsOfFile(lookup.secret, `--key-secret-file names ${keySecretFile ?? ''}`);
  return {
    ...inFile,
    id: partOf(keyId, '--key-id') ?? inFile.id ?? partOf(variable(env, 'ROLECALL_KEY_ID'), 'ROLECALL_KEY_ID'),
    secret: inFile.secret ?? partOf(variable(env, 'ROLECALL_KEY_SECRET'), 'ROLECALL_KEY_SECRET'),
  };
}

/** `--key-secret-file`, `ROLECALL_KEY_ID`. */
function sourceOf({ place }: { place: string }): string {
  return place.replace(/[ ,].*$/s, '');
}

function partOf(text: string | undefined, place: string): Parts['id'] {
  return text === undefined ? undefined : { text, place };
}

/** The parts in a file: the secret itself, or the JSON that `rolecall keys create` writes. */
function partsOfFile(text: string, place: string): Parts {
  const whole = { text, place: `${place}, which` };
  const key = parseKey(text);
  if (key === undefined) return { file: whole, secret: whole };
  return {
    file: whole,
    id: { text: key.keyId, place: `${place}, whose id` },
    secret: { text: key.keySecret, place: `${place}, whose secret` },
  };
}

function mistakeIn(parts: Parts): KeyMistake | undefined {
  for (const name of keyParts) {
    const part = parts[name];
    const mistake = part === undefined ? undefined : findKeyMistake(name, part.text);
    if (mistake !== undefined) return { ...mistake, fault: `${part?.place ?? ''} ${mistake.fault}` };
  }
  return undefined;
}

function fromDefinition(
  workspace: Workspace,
  from: NonNullable<Workspace['spec']['credentialsFrom']>,
  env: Environment,
): FoundCredentials {
  if (from.file !== undefined) return fromKeyFile(workspace, from.file);
  const [id, secret] = sourcesOf(from).map(({ part, source, name, field }) => {
    const lookup = lookUpSecret(source, env);
    if ('fault' in lookup) return { issue: issueIn(workspace, field, lookup) };
    const place = `is read from the environment variable ${name}, which`;
    const mistake = mistakeIn({ [part]: { text: lookup.secret, place } });
    return mistake === undefined ? lookup : { issue: issueIn(workspace, field, mistake) };
  });
  if (id !== undefined && secret !== undefined && 'secret' in id && 'secret' in secret) {
    const [keyId = '', keySecret = ''] = sourcesOf(from).map(({ name }) => name);
    return { by: 'key', keyId: id.secret, keySecret: secret.secret, sources: { keyId, keySecret } };
  }
  return { issues: [id, secret].flatMap((part) => (part !== undefined && 'issue' in part ? [part.issue] : [])) };
}

/** The sources of the id and the secret, each with its variable and the field that names it. */
function sourcesOf({ env, secretKeyRef }: NonNullable<Workspace['spec']['credentialsFrom']>) {
  if (env !== undefined) {
    return [
      { part: 'id', source: { env: env.keyId }, name: env.keyId, field: ['env', 'keyId'] },
      { part: 'secret', source: { env: env.keySecret }, name: env.keySecret, field: ['env', 'keySecret'] },
    ];
  }
  const { name = '', keyId = '', keySecret = '' } = secretKeyRef ?? {};
  const of = (part: KeyPart, key: string) => {
    return { part, source: { secretKeyRef: { name, key } }, name: secretVariable(name, key), field: ['secretKeyRef'] };
  };
  return [of('id', keyId), of('secret', keySecret)];
}

function fromKeyFile(workspace: Workspace, file: string): FoundCredentials {
  const lookup = fromFile(file);
  if ('fault' in lookup) return { issues: [issueIn(workspace, ['file'], lookup)] };
  const { file: whole, id, secret } = partsOfFile(lookup.secret, `names ${file}`);
  // Without an id the text is not the JSON of a key; this file must contain both parts.
  const mistake = mistakeIn(id === undefined ? { file: whole } : { file: whole, id, secret });
  if (mistake !== undefined) return { issues: [issueIn(workspace, ['file'], mistake)] };
  if (id !== undefined && secret !== undefined) {
    return { by: 'key', keyId: id.text, keySecret: secret.text, sources: { keyId: file, keySecret: file } };
  }
  const fault = `names ${file}, which is not JSON with id and secret`;
  const remedy = 'Write the file with rolecall keys create --format json.';
  return { issues: [issueIn(workspace, ['file'], { fault, remedy })] };
}

function parseKey(text: string): ApiKey | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('id' in value) || !('secret' in value)) return undefined;
    const { id, secret } = value;
    return typeof id === 'string' && typeof secret === 'string' ? { keyId: id, keySecret: secret } : undefined;
  } catch {
    // The parser's message quotes the text, which is the secret.
    return undefined;
  }
}

function issueIn(workspace: Workspace, field: readonly string[], flaw: { fault: string; remedy: string }): CrossIssue {
  return secretUnavailable(workspace, ['spec', 'credentialsFrom', ...field], flaw);
}

function missing(message: string): { fault: CliError } {
  return refused('ERR_NO_CREDENTIALS', message);
}

function refused(code: ErrorCode, message: string): { fault: CliError } {
  return { fault: new CliError(code, message) };
}
