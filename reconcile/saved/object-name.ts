/** An object as the service lists it; besides its id nothing is certain here. */
export interface ReadObject {
  readonly id: string;
}

export function isObject(value: unknown): value is ReadObject {
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string';
}

/** The name that readers know: the username, the alias, or both ends of a permission. */
export function objectName(object: ReadObject): string {
  const fields: Readonly<Record<string, unknown>> = { ...object };
  if (isObject(fields['person']) && isObject(fields['dataSource'])) {
    return `${objectName(fields['person'])} on ${objectName(fields['dataSource'])}`;
  }
  if (isObject(fields['activeVersion'])) return objectName(fields['activeVersion']);
  for (const field of ['username', 'alias', 'name']) {
    const value = fields[field];
    if (typeof value === 'string') return value;
  }
  return object.id;
}
