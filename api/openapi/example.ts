import { type Components, type JsonSchema, resolve } from './schema.ts';

/**
 * Builds an example from the examples of the fields.
 *
 * @param use an answer has every field; a request leaves out optional fields that may be null, since each belongs to
 *   another field, such as the owner's identifier to the kind of owner
 */
export function exampleOf(given: JsonSchema, components: Components, use: 'request' | 'answer'): unknown {
  const schema = resolve(given, components);
  const examples = given.examples ?? schema.examples;
  if (examples !== undefined) return examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0];
  if (choice !== undefined) return exampleOf(choice, components, use);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'array') return schema.items === undefined ? [] : [exampleOf(schema.items, components, use)];
  if (type === 'integer') return schema.minimum ?? 0;
  if (type === 'boolean') return false;
  if (type === 'string') return 'text';
  return exampleOfObject(schema, components, use);
}

function exampleOfObject(schema: JsonSchema, components: Components, use: 'request' | 'answer'): object {
  const required = new Set(schema.required);
  const shown = Object.entries(schema.properties ?? {}).filter(
    ([name, field]) => use === 'answer' || required.has(name) || !takesNull(field),
  );
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field, components, use)]));
}

function takesNull(schema: JsonSchema): boolean {
  return [schema.type].flat().includes('null') || (schema.anyOf ?? []).some(takesNull);
}
