/**
 * JSON with sorted keys and no blanks: the same value always has the same text.
 *
 * @param lists `ordered` where the order of a list means something; on the wire it does not, so there lists are sorted
 */
export function canonicalJson(value: unknown, lists: 'ordered' | 'unordered'): string {
  if (Array.isArray(value)) {
    const items = value.map((item) => canonicalJson(item, lists));
    return `[${(lists === 'ordered' ? items : items.sort()).join(',')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field, lists)}`);
  return `{${fields.join(',')}}`;
}
