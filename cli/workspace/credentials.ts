import type { CrossIssue, DefinitionOf } from '@rolecall/crds';
import { secretUnavailable } from '../definitions/problems.ts';
import { CliError } from '../errors.ts';
import { type Environment, variable } from '../process/io.ts';
import { fromFile, lookUpSecret } from '../secrets/secret-source.ts';

export interface Credentials {
  keyId: string;
  keySecret: string;
}

export interface CredentialFlags {
  keyId?: string;
  keySecretFile?: string;
}

type Workspace = DefinitionOf<'Workspace'>;

/** An API key; or why there is none: because of the flags or the environment, or of what a definition names. */
export type FoundKey = { credentials: Credentials } | { fault: CliError } | { issues: CrossIssue[] };

/**
 * Finds the API key: flags before the environment before the Workspace definition. A key and its secret belong
 * together, so that what a definition says is only looked at where neither flags nor the environment say anything.
 *
 * @returns what is missing is named, and a secret never
 */
export function findCredentials(flags: CredentialFlags, env: Environment, workspace: Workspace | undefined): FoundKey {
  const fromFlag = flags.keySecretFile === undefined ? {} : readSecretFile(flags.keySecretFile);
  if ('fault' in fromFlag) return fromFlag;
  const keyId = flags.keyId ?? fromFlag.keyId ?? variable(env, 'ROLECALL_KEY_ID');
  const keySecret = fromFlag.keySecret ?? variable(env, 'ROLECALL_KEY_SECRET');
  if (keyId !== undefined && keySecret !== undefined) return { credentials: { keyId, keySecret } };
  if (keyId === undefined && keySecret === undefined) {
    const { credentialsFrom } = workspace?.spec ?? {};
    if (workspace !== undefined && credentialsFrom !== undefined)
      return fromDefinition(workspace, credentialsFrom, env);
    return missing(
      'no API key is given: set ROLECALL_KEY_ID and ROLECALL_KEY_SECRET, or declare credentialsFrom in a Workspace',
    );
  }
  return keyId === undefined
    ? missing('the secret of an API key is given without its id: set ROLECALL_KEY_ID, or give --key-id')
    : missing('the id of an API key is given without its secret: set ROLECALL_KEY_SECRET, or give --key-secret-file');
}

/** The file of `--key-secret-file`: the secret itself, or the JSON that `rolecall keys create` writes. */
function readSecretFile(file: string): Partial<Credentials> | { fault: CliError } {
  const found = fromFile(file);
  if ('fault' in found) return missing(`--key-secret-file ${found.fault}`);
  return parseKey(found.secret) ?? { keySecret: found.secret };
}

function fromDefinition(
  workspace: Workspace,
  from: NonNullable<Workspace['spec']['credentialsFrom']>,
  env: Environment,
): FoundKey {
  if (from.file !== undefined) return fromKeyFile(workspace, from.file);
  const [id, secret] = sourcesOf(from).map(({ source, field }) => {
    const found = lookUpSecret(source, env);
    return 'secret' in found ? found : { issue: issueIn(workspace, field, found) };
  });
  if (id !== undefined && secret !== undefined && 'secret' in id && 'secret' in secret) {
    return { credentials: { keyId: id.secret, keySecret: secret.secret } };
  }
  return { issues: [id, secret].flatMap((found) => (found !== undefined && 'issue' in found ? [found.issue] : [])) };
}

/** Where the id and the secret of a key stand, with the field that says so. */
function sourcesOf({ env, secretKeyRef }: NonNullable<Workspace['spec']['credentialsFrom']>) {
  if (env !== undefined) {
    return [
      { source: { env: env.keyId }, field: ['env', 'keyId'] },
      { source: { env: env.keySecret }, field: ['env', 'keySecret'] },
    ];
  }
  const { name = '', keyId = '', keySecret = '' } = secretKeyRef ?? {};
  return [
    { source: { secretKeyRef: { name, key: keyId } }, field: ['secretKeyRef'] },
    { source: { secretKeyRef: { name, key: keySecret } }, field: ['secretKeyRef'] },
  ];
}

function fromKeyFile(workspace: Workspace, file: string): FoundKey {
  const found = fromFile(file);
  if ('fault' in found) return { issues: [issueIn(workspace, ['file'], found)] };
  const credentials = parseKey(found.secret);
  if (credentials !== undefined) return { credentials };
  const fault = `names ${file}, which is not JSON with id and secret`;
  const remedy = 'Write it by rolecall keys create --format json.';
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
  return { fault: new CliError('ERR_NO_CREDENTIALS', message) };
}
