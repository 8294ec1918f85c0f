/** Secrets at the moment of use, from what is watched in the namespace. */

import { type PasswordFlaw, passwordFlaw } from '@rolecall/api';
import type { SecretSource } from '@rolecall/reconcile';
import type { SecretsInformer } from './secrets-informer.ts';

/** A password, or why it is not to be had: never both, and a problem never has anything of it. */
export type FoundPassword = { readonly password: string } | { readonly problem: string };

/** Reads the password at a key of a Secret. */
export async function readPassword(
  namespace: string,
  informer: SecretsInformer,
  { name, key }: { readonly name: string; readonly key: string },
): Promise<FoundPassword> {
  const reading = await informer.read('secrets', namespace, name);
  if ('problem' in reading) return reading;
  const value = Object.hasOwn(reading.data, key) ? reading.data[key] : undefined;
  if (value === undefined) return { problem: `the Secret ${name} lacks the key ${key}` };
  // --from-file and echo leave one, which is no more part of it than in a file that the command line reads.
  const password = value.replace(/\r?\n$/, '');
  const flaw = passwordFlaw(password);
  return flaw === undefined ? { password } : { problem: `the key ${key} of the Secret ${name} ${flaws[flaw]}` };
}

const flaws: Readonly<Record<PasswordFlaw, string>> = {
  empty: 'is empty',
  blank: 'is only white space',
  'line-break': 'still ends in a line break after the final newline is ignored: remove it',
  'byte-order-mark': 'begins with a byte order mark (U+FEFF): write it without one',
};

/** Gives the engine the secrets that objects of a namespace name. */
export function secretsOf(namespace: string, informer: SecretsInformer): (source: SecretSource) => Promise<string> {
  return async (source) => {
    if (!('secretKeyRef' in source)) throw new Error('in a cluster only secretKeyRef can be used');
    const reading = await readPassword(namespace, informer, source.secretKeyRef);
    if ('problem' in reading) throw new Error(reading.problem);
    return reading.password;
  };
}
