type Json = Readonly<Record<string, unknown>>;

/** Narrows the schema of all kinds to one of them: what applied only if it was this kind applies without an if. */
export function schemaOfKind({ $id: _id, ...whole }: Json, kind: string): Json {
  const { [`${kind}Spec`]: spec, Metadata } = mapping(whole['$defs']);
  const rules = Array.isArray(whole['allOf']) ? whole['allOf'].map(mapping) : [];
  const own = rules.find((rule) => mapping(mapping(mapping(rule['if'])['properties'])['kind'])['const'] === kind);
  return {
    ...whole,
    title: `Rolecall ${kind}`,
    description: mapping(spec)['description'],
    properties: { ...mapping(whole['properties']), kind: { const: kind } },
    allOf: own === undefined ? [] : [own['then']],
    $defs: { Metadata, [`${kind}Spec`]: spec },
  };
}

function mapping(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
