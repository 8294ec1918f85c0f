import { createHash } from 'node:crypto';
import { canonicalJson } from '@rolecall/api';

/**
 * A digest of everything that was read. No reading has a password: a plan lies in a pipeline's artefacts, where a digest over a short
 * one could be guessed. A password that changes moves its data source's `updatedAt`.
 *
 * @param readings by name, as `View.readings` gives them
 * @returns 64 hexadecimal digits
 */
export function digestReadings(readings: ReadonlyMap<string, unknown>): string {
  const hash = createHash('sha256');
  for (const name of [...readings.keys()].sort()) {
    hash.update(`${JSON.stringify(name)}:`);
    hash.update(`${canonicalJson(readings.get(name), 'unordered')}\n`);
  }
  return hash.digest('hex');
}
