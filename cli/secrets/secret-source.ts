import { readFileSync, statSync } from 'node:fs';
import { type PasswordFlaw, passwordFlaw } from '@rolecall/api';
import { unreadable } from '@rolecall/crds';
import type { SecretSource } from '@rolecall/reconcile';
import { reasonOf } from '../errors.ts';
import { type Environment, namedVariable } from '../process/io.ts';
import { secretVariable } from './secret-variable.ts';

/** The largest file that is read as a secret: a larger one is certainly the wrong file. */
const maxSecretBytes = 64 * 1024;

/** The result of a lookup: the secret, or why it is not available and what to do. A fault never contains the secret. */
export type Lookup = { secret: string } | { fault: string; remedy: string };

/**
 * Reads the secret that a definition refers to.
 *
 * @param source a file's path must be absolute, as the loader makes it
 */
export function lookUpSecret(source: SecretSource, env: Environment): Lookup {
  if ('env' in source) return fromVariable(source.env, `the environment variable ${source.env}, which is not set`, env);
  if ('file' in source) return fromFile(source.file);
  const { name, key } = source.secretKeyRef;
  const substitute = secretVariable(name, key);
  const what = `the key ${key} of the Secret ${name}, which only a cluster can read, and ${substitute} is not set`;
  return fromVariable(substitute, what, env);
}

/** Rolecall's own secrets: a definition that names one as a password would send it to a host of its choosing. */
const ownSecrets = [
  'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
  'ROLECALL_DATABASE_URL',
  'ROLECALL_ID_TOKEN',
  'ROLECALL_KEY_SECRET',
  'ROLECALL_PLAN_KEY',
  'ROLECALL_STORE_KEY',
  'ROLECALL_STORE_KEY_COMMAND',
];

/** Reads the password of a data source, which is sent to wherever its URI says. */
export function lookUpPassword(source: SecretSource, env: Environment): Lookup {
  if ('env' in source && ownSecrets.includes(source.env)) {
    const fault = `names the environment variable ${source.env}, which holds a secret of Rolecall itself, not the password of a database`;
    return { fault, remedy: 'Name the variable with the password.' };
  }
  const lookup = lookUpSecret(source, env);
  const flaw = 'secret' in lookup ? passwordFlaw(lookup.secret) : undefined;
  return flaw === undefined
    ? lookup
    : { fault: `names a password that ${flaws[flaw]}`, remedy: 'Store it without that.' };
}

const flaws: Readonly<Record<PasswordFlaw, string>> = {
  empty: 'is empty',
  blank: 'is only white space',
  'line-break': 'ends with a line break',
  'byte-order-mark': 'begins with a byte order mark',
};

function fromVariable(name: string, missing: string, env: Environment): Lookup {
  const secret = namedVariable(env, name);
  if (secret !== undefined) return { secret };
  return { fault: `names ${missing}`, remedy: `Set the environment variable ${name}.` };
}

/** Reads a file that holds a secret. One line break at its end is not part of it: editors and echo leave one. */
export function fromFile(file: string): Lookup {
  const remedy = 'Correct the path, which is relative to the folder of the definition, or the file.';
  try {
    const { size } = statSync(file);
    if (size > maxSecretBytes) return { fault: `names ${file}, which is too large for a secret`, remedy };
    const secret = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    return secret === '' ? { fault: `names ${file}, which is empty`, remedy } : { secret };
  } catch (error) {
    const fault = unreadable(file) ?? `cannot be read: ${reasonOf(error)}`;
    return { fault: `names ${file}, which ${fault}`, remedy };
  }
}
