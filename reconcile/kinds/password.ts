import type { SecretSource } from '../model/desired.ts';
import type { Surroundings } from './scope.ts';

/**
 * The password that a source gives.
 *
 * @throws what the resolver throws, and where it is empty: a service takes that for none, so that it would take away the one
 *   that is in use and differ from what is declared for ever
 */
export async function passwordOf(source: SecretSource, resolveSecret: Surroundings['resolveSecret']): Promise<string> {
  const password = await resolveSecret(source);
  if (password === '') throw new Error(`no password can be taken from ${described(source)}, which is empty`);
  return password;
}

function described(source: SecretSource): string {
  if ('env' in source) return `the environment variable ${source.env}`;
  if ('file' in source) return source.file;
  const { name, key } = source.secretKeyRef;
  return `the key ${key} of the Secret ${name}`;
}
