import { createHash } from 'node:crypto';
import { redactConnectionUri } from '@rolecall/api';

/**
 * A digest of everything that was read. Passwords are left out: a plan lies in a pipeline's artefacts, where a digest
 * over a short password could be guessed. A password that changes moves its data source's `updatedAt`, which is in.
 *
 * @param readings by name, as `View.readings` gives them
 * @returns 64 hexadecimal digits
 */
export function digestReadings(readings: ReadonlyMap<string, unknown>): string {
  const hash = createHash('sha256');
  for (const name of [...readings.keys()].sort()) {
    hash.update(`${JSON.stringify(name)}:`);
    hash.update(`${canonical(readings.get(name))}\n`);
  }
  return hash.digest('hex');
}

/** JSON with sorted keys, and lists of objects sorted by their text: neither order means anything on the wire. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    const items = value.map(canonical);
    return `[${items.sort().join(',')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([key, field]) =>
        `${JSON.stringify(key)}:${canonical(key === 'configUri' ? redactConnectionUri(String(field)) : field)}`,
    );
  return `{${fields.join(',')}}`;
}
