import { createHmac } from 'node:crypto';

/**
 * A digest of everything that was read. Salted, because connection details carry passwords and a digest of a short
 * password could be guessed from a plan that lies in a pipeline's artefacts.
 *
 * @param readings by name, as `View.readings` gives them
 * @returns 64 hexadecimal digits
 */
export function digestReadings(readings: ReadonlyMap<string, unknown>, salt: string): string {
  const hmac = createHmac('sha256', salt);
  for (const name of [...readings.keys()].sort()) {
    hmac.update(`${JSON.stringify(name)}:`);
    hmac.update(`${canonical(readings.get(name))}\n`);
  }
  return hmac.digest('hex');
}

/** JSON with sorted keys, and lists of objects sorted by id: neither order means anything on the wire. */
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
