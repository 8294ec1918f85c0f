import { createHash } from 'node:crypto';
import { formatConnectionUri, parseConnectionUri } from '@rolecall/api';

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
    const reading = readings.get(name);
    hash.update(`${canonical(hasPassword(name, reading) ? withoutPassword(reading) : reading)}\n`);
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
    .map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`);
  return `{${fields.join(',')}}`;
}

/** Only the details of a data source carry its password; lists show what is left of a URI without it. */
function hasPassword(name: string, reading: unknown): reading is { configUri: string } {
  return (
    name.startsWith('dataSourceDetail ') && typeof reading === 'object' && reading !== null && 'configUri' in reading
  );
}

function withoutPassword(detail: { configUri: string }): { configUri: string } {
  const { password: _secret, ...rest } = parseConnectionUri(detail.configUri);
  return { ...detail, configUri: formatConnectionUri(rest) };
}
