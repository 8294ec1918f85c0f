/** The rules of structural schemas (Kubernetes, CustomResourceDefinitions), as far as ours could break them. */

type Schema = Readonly<Record<string, unknown>>;

const forbidden = [
  '$ref',
  '$defs',
  'definitions',
  'const',
  'if',
  'then',
  'else',
  'patternProperties',
  'propertyNames',
  'uniqueItems',
];
const scalar = ['string', 'integer', 'number', 'boolean'];

/** Everything in a schema that Kubernetes would refuse, each with its path. */
export function structuralFaults(schema: Schema, path = ''): string[] {
  const faults = Object.keys(schema)
    .filter((key) => forbidden.includes(key) || key.startsWith('x-rolecall'))
    .map((key) => `${path}: ${key} is forbidden`);
  const { type, properties, items, additionalProperties, required } = schema;
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true;
  if (typeof type !== 'string' && !isIntOrString) faults.push(`${path}: has no single type`);
  if (type !== undefined && isIntOrString) faults.push(`${path}: int-or-string has no type`);
  if (properties !== undefined && additionalProperties !== undefined)
    faults.push(`${path}: properties and additionalProperties`);
  if ((type === 'array') !== (items !== undefined))
    faults.push(`${path}: items belong to arrays, and arrays have them`);
  if ((type === 'string' || isIntOrString) && schema['maxLength'] === undefined && schema['enum'] === undefined)
    faults.push(`${path}: text without bound`);
  if (type === 'array' && schema['maxItems'] === undefined) faults.push(`${path}: list without bound`);
  if (additionalProperties !== undefined && schema['maxProperties'] === undefined)
    faults.push(`${path}: map without bound`);
  if (type === 'object' && properties === undefined && additionalProperties === undefined)
    faults.push(`${path}: anything at all`);
  if (typeof schema['description'] !== 'string') faults.push(`${path}: has no description`);
  if (schema['x-kubernetes-list-type'] === 'set' && !scalar.includes(String((items as Schema)['type']))) {
    faults.push(`${path}: sets are of scalars`);
  }
  const names = Object.keys(properties ?? {});
  for (const name of (required ?? []) as string[])
    if (!names.includes(name)) faults.push(`${path}: requires unknown ${name}`);
  const inside = Object.entries((properties ?? {}) as Record<string, Schema>);
  if (items !== undefined) inside.push(['[]', items as Schema]);
  if (typeof additionalProperties === 'object') inside.push(['{}', additionalProperties as Schema]);
  return [...faults, ...inside.flatMap(([name, child]) => structuralFaults(child, `${path}.${name}`))];
}
