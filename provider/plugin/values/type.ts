/** Terraform's types in the JSON form in which schemas carry them (cty's own: "string", ["list", "string"], …). */
export type Type =
  | 'string'
  | 'number'
  | 'bool'
  | 'dynamic'
  | readonly ['list' | 'set' | 'map', Type]
  | readonly ['object', Readonly<Record<string, Type>>]
  | readonly ['tuple', readonly Type[]];

/**
 * Reads a type from its JSON.
 *
 * @throws TypeError when it is none
 */
export function parseType(json: unknown): Type {
  if (json === 'string' || json === 'number' || json === 'bool' || json === 'dynamic') return json;
  if (!Array.isArray(json)) throw new TypeError(`is no type: ${JSON.stringify(json)}`);
  const [kind, of] = json as readonly unknown[];
  if (kind === 'list' || kind === 'set' || kind === 'map') return [kind, parseType(of)];
  if (kind === 'tuple' && Array.isArray(of)) return ['tuple', of.map(parseType)];
  if (kind === 'object' && typeof of === 'object' && of !== null && !Array.isArray(of)) {
    return ['object', Object.fromEntries(Object.entries(of).map(([name, attribute]) => [name, parseType(attribute)]))];
  }
  throw new TypeError(`is no type: ${JSON.stringify(json)}`);
}
