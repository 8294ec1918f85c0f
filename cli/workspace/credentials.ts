import type { CrossIssue, DefinitionOf } from '@rolecall/crds';
import { secretUnavailable } from '../definitions/problems.ts';
import type { ErrorCode } from '../error-codes.ts';
import { CliError } from '../errors.ts';
import { type Environment, variable } from '../process/io.ts';
import { fromFile, lookUpSecret } from '../secrets/secret-source.ts';
import { secretVariable } from '../secrets/secret-variable.ts';
import { findKeyMistake, type KeyMistake, type KeyPart, keyParts } from './key-mistakes.ts';

export interface Credentials {
  keyId: string;
  keySecret: string;
}

export interface CredentialFlags {
  keyId?: string;
  keySecretFile?: string;
}

type Workspace = DefinitionOf<'Workspace'>;

/** An API key; or why there is none: a fault of the flags or the environment, or issues of a definition. */
export type FoundKey = Found | { fault: CliError } | { issues: CrossIssue[] };

/** An API key, and the setting that each part comes from. */
interface Found {
  credentials: Credentials;
  sources: { keyId: string; keySecret: string };
}

/** The parts of a key that were found, each with the beginning of a sentence about it (`ROLECALL_KEY_ID`). */
type Parts = { readonly [name in KeyPart]?: { text: string; place: string } | undefined };

/**
 * Finds the API key: flags before the environment before the Workspace definition. A key and its secret belong
 * together, so a definition is only used where neither flags nor the environment give a part.
 *
 * @returns a fault names the missing or malformed part, and never contains a secret
 */
export function findCredentials(flags: CredentialFlags, env: Environment, workspace: Workspace | undefined): FoundKey {
  const given = givenParts(flags, env);
  if ('fault' in given) return given;
  const mistake = mistakeIn(given);
  if (mistake !== undefined) return refused('ERR_KEY_FORM', `${mistake.fault}. ${mistake.remedy}`);
  const { id, secret } = given;
  if (id !== undefined && secret !== undefined) {
    const sources = { keyId: sourceOf(id), keySecret: sourceOf(secret) };
    return { credentials: { keyId: id.text, keySecret: secret.text }, sources };
  }
  if (id === undefined && secret === undefined) {
    const { credentialsFrom } = workspace?.spec ?? {};
    if (workspace !== undefined && credentialsFrom !== undefined)
      return fromDefinition(workspace, credentialsFrom, env);
    return missing(
      'the API key is missing: set ROLECALL_KEY_ID and ROLECALL_KEY_SECRET, or declare credentialsFrom in a Workspace',
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
  const found = keySecretFile === undefined ? undefined : fromFile(keySecretFile);
  if (found !== undefined && 'fault' in found) return missing(`--key-secret-file ${found.fault}`);
  const inFile = found === undefined ? {} : partsOfFile(found.secret, `--key-secret-file names ${keySecretFile ?? ''}`);
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
): FoundKey {
  if (from.file !== undefined) return fromKeyFile(workspace, from.file);
  const [id, secret] = sourcesOf(from).map(({ part, source, name, field }) => {
    const found = lookUpSecret(source, env);
    if ('fault' in found) return { issue: issueIn(workspace, field, found) };
    const place = `is read from the environment variable ${name}, which`;
    const mistake = mistakeIn({ [part]: { text: found.secret, place } });
    return mistake === undefined ? found : { issue: issueIn(workspace, field, mistake) };
  });
  if (id !== undefined && secret !== undefined && 'secret' in id && 'secret' in secret) {
    const [keyId = '', keySecret = ''] = sourcesOf(from).map(({ name }) => name);
    return { credentials: { keyId: id.secret, keySecret: secret.secret }, sources: { keyId, keySecret } };
  }
  return { issues: [id, secret].flatMap((found) => (found !== undefined && 'issue' in found ? [found.issue] : [])) };
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

function fromKeyFile(workspace: Workspace, file: string): FoundKey {
  const found = fromFile(file);
  if ('fault' in found) return { issues: [issueIn(workspace, ['file'], found)] };
  const { file: whole, id, secret } = partsOfFile(found.secret, `names ${file}`);
  // Without an id the text is not the JSON of a key; this file must contain both parts.
  const mistake = mistakeIn(id === undefined ? { file: whole } : { file: whole, id, secret });
  if (mistake !== undefined) return { issues: [issueIn(workspace, ['file'], mistake)] };
  if (id !== undefined && secret !== undefined) {
    return { credentials: { keyId: id.text, keySecret: secret.text }, sources: { keyId: file, keySecret: file } };
  }
  const fault = `names ${file}, which is not JSON with id and secret`;
  const remedy = 'Write the file with rolecall keys create --format json.';
  return { issues: [issueIn(workspace, ['file'], { fault, remedy })] };
}

function parseKey(text: string): Credentials | undefined {
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

function issueIn(workspace: Workspace, field: readonly string[], found: { fault: string; remedy: string }): CrossIssue {
  return secretUnavailable(workspace, ['spec', 'credentialsFrom', ...field], found);
}

function missing(message: string): { fault: CliError } {
  return refused('ERR_NO_CREDENTIALS', message);
}

function refused(code: ErrorCode, message: string): { fault: CliError } {
  return { fault: new CliError(code, message) };
}
