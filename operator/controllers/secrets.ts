/** Secrets at the moment of use, from what is watched in the namespace. */

import type { SecretSource } from '@rolecall/reconcile';
import type { NamedObjects } from './named-objects.ts';

/** Gives the engine the secrets that objects of a namespace name. */
export function secretsOf(namespace: string, named: NamedObjects): (source: SecretSource) => Promise<string> {
  return async (source) => {
    if (!('secretKeyRef' in source)) throw new Error('in a cluster only secretKeyRef can be used');
    const { name, key } = source.secretKeyRef;
    const found = await named.read('secrets', namespace, name);
    const value = 'data' in found ? found.data[key] : undefined;
    if (value === undefined) throw new Error(`the Secret ${name} lacks the key ${key}`);
    return value;
  };
}
