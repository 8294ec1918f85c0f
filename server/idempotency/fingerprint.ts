/** The text of a request by which it is known again: fields in the order of their names, whatever way they were sent. */
export function requestText(operation: string, { params, body }: { params: unknown; body: unknown }): string {
  return canonical([operation, params, body ?? null]);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`);
  return `{${fields.join(',')}}`;
}
