/** JSON objects with unknown fields. */

export type Json = Readonly<Record<string, unknown>>;

/** The value if it is a mapping, otherwise an empty mapping. */
export function mapping(value: unknown): Json {
  return isMapping(value) ? value : {};
}

export function isMapping(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Changes every value of a mapping. */
export function mapValues<T>(object: Readonly<Record<string, T>>, change: (value: T, key: string) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}
