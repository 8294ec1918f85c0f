import { createHash } from 'node:crypto';
import { canonicalJson, formatConnectionUri, readConnectionUri } from '@rolecall/api';

/**
 * A digest of everything that was read.
 *
 * @param readings by name, as `View.readings` gives them
 * @returns 64 hexadecimal digits
 */
export function digestReadings(readings: ReadonlyMap<string, unknown>): string {
  const hash = createHash('sha256');
  for (const name of [...readings.keys()].sort()) {
    hash.update(`${JSON.stringify(name)}:`);
    hash.update(`${canonicalJson(withoutPassword(name, readings.get(name)), 'unordered')}\n`);
  }
  return hash.digest('hex');
}

/**
 * A reading as digests may be made of it. Passwords are left out: a plan lies in a pipeline's artefacts, where a digest
 * over a short password could be guessed. A password that changes moves its data source's `updatedAt`, which is in.
 */
export function withoutPassword(name: string, reading: unknown): unknown {
  if (!hasPassword(name, reading)) return reading;
  const { password: _secret, ...rest } = readConnectionUri(reading.configUri);
  return { ...reading, configUri: formatConnectionUri(rest) };
}

/** Only the details of a data source carry its password; lists show what is left of a URI without it. */
function hasPassword(name: string, reading: unknown): reading is { configUri: string } {
  return (
    name.startsWith('dataSourceDetail ') && typeof reading === 'object' && reading !== null && 'configUri' in reading
  );
}
