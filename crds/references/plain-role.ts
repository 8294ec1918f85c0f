import type { DefinitionOf } from '../kinds/definition.ts';
import type { ReferenceIndex } from './reference-index.ts';

/**
 * A role as every front end brings it to a workspace, which knows plain lists only: a selector becomes the data sources that it selects,
 * beside those that are listed. A role that has no selector stays as it is.
 */
export function plainRole(role: DefinitionOf<'Role'>, index: ReferenceIndex): DefinitionOf<'Role'> {
  const { dataSourceSelector, ...spec } = role.spec;
  if (dataSourceSelector === undefined) return role;
  const { dataSources: listed = [] } = spec;
  const known = new Set(listed.map((name) => index.resolve('DataSource', name, role).declared));
  const selected = index.select(dataSourceSelector, role).filter((one) => !known.has(one));
  // One name may be declared in several namespaces.
  const names = selected.map(
    (one) =>
      [one.metadata.name, one.spec.alias].find((name) => index.resolve('DataSource', name, role).declared === one) ??
      one.spec.alias,
  );
  return { ...role, spec: { ...spec, dataSources: [...listed, ...names.toSorted()] } };
}
