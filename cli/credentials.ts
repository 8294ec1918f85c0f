import type { DefinitionOf } from '@rolecall/crds';
import { describe, placeOf } from './definitions.ts';
import { CliError } from './errors.ts';
import { type Environment, variable } from './io.ts';
import { fromFile, lookUpSecret } from './secret-source.ts';

export interface Credentials {
  keyId: string;
  keySecret: string;
}

export interface CredentialFlags {
  keyId?: string;
  keySecretFile?: string;
}

type Workspace = DefinitionOf<'Workspace'>;

/**
 * Finds the API key: flags before the environment before the Workspace definition. A key and its secret belong
 * together, so that what a definition says is only looked at where neither flags nor the environment say anything.
 *
 * @throws CliError that names what is missing, and never a secret
 */
export function findCredentials(
  flags: CredentialFlags,
  env: Environment,
  workspace: Workspace | undefined,
): Credentials {
  const fromFlag = flags.keySecretFile === undefined ? undefined : readSecretFile(flags.keySecretFile);
  const keyId = flags.keyId ?? fromFlag?.keyId ?? variable(env, 'ROLECALL_KEY_ID');
  const keySecret = fromFlag?.keySecret ?? variable(env, 'ROLECALL_KEY_SECRET');
  if (keyId !== undefined && keySecret !== undefined) return { keyId, keySecret };
  if (keyId === undefined && keySecret === undefined) {
    const { credentialsFrom } = workspace?.spec ?? {};
    if (workspace !== undefined && credentialsFrom !== undefined)
      return fromDefinition(workspace, credentialsFrom, env);
    throw missing(
      'no API key is given: set ROLECALL_KEY_ID and ROLECALL_KEY_SECRET, or declare credentialsFrom in a Workspace',
    );
  }
  throw keyId === undefined
    ? missing('the secret of an API key is given without its id: set ROLECALL_KEY_ID, or give --key-id')
    : missing('the id of an API key is given without its secret: set ROLECALL_KEY_SECRET, or give --key-secret-file');
}

/** The file of `--key-secret-file`: the secret itself, or the JSON that `rolecall keys create` writes. */
function readSecretFile(file: string): { keyId?: string; keySecret: string } {
  const found = fromFile(file);
  if ('fault' in found) throw missing(`--key-secret-file ${found.fault}`);
  return parseKey(found.secret) ?? { keySecret: found.secret };
}

function fromDefinition(
  workspace: Workspace,
  from: NonNullable<Workspace['spec']['credentialsFrom']>,
  env: Environment,
): Credentials {
  if (from.file !== undefined) return fromKeyFile(workspace, from.file);
  const look = (field: string, source: Parameters<typeof lookUpSecret>[0]): string => {
    const found = lookUpSecret(source, env);
    if ('secret' in found) return found.secret;
    throw missing(`${whereIn(workspace, field)} ${found.fault}. ${found.remedy}`);
  };
  if (from.env !== undefined) {
    return {
      keyId: look('env.keyId', { env: from.env.keyId }),
      keySecret: look('env.keySecret', { env: from.env.keySecret }),
    };
  }
  const { name = '', keyId = '', keySecret = '' } = from.secretKeyRef ?? {};
  return {
    keyId: look('secretKeyRef', { secretKeyRef: { name, key: keyId } }),
    keySecret: look('secretKeyRef', { secretKeyRef: { name, key: keySecret } }),
  };
}

function fromKeyFile(workspace: Workspace, file: string): Credentials {
  const found = fromFile(file);
  if ('fault' in found) throw missing(`${whereIn(workspace, 'file')} ${found.fault}. ${found.remedy}`);
  const key = parseKey(found.secret);
  if (key !== undefined) return key;
  throw missing(
    `${whereIn(workspace, 'file')} names ${file}, which is not JSON with id and secret; write it by rolecall keys create --format json`,
  );
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

function whereIn(workspace: Workspace, field: string): string {
  return `${placeOf(workspace)}: spec.credentialsFrom.${field} of ${describe(workspace)}`;
}

function missing(message: string): CliError {
  return new CliError('ERR_NO_CREDENTIALS', message);
}
