import type { DefinitionOf, ObjectDefinition } from '../kinds/definition.ts';
import { containedRoles } from './contained-roles.ts';
import type { ReferenceIndex, Resolved } from './reference-index.ts';

type Role = DefinitionOf<'Role'>;
type DataSource = Resolved<'DataSource'>;

/**
 * A role as every front end brings it to a workspace, which knows plain lists only: a selector becomes the data sources that it selects,
 * and contained roles become those that their definitions give, beside those that are listed. A role with neither stays as it is.
 */
export function plainRole(role: Role, index: ReferenceIndex): Role {
  const { dataSourceSelector, roles, ...spec } = role.spec;
  if (dataSourceSelector === undefined && roles === undefined) return role;
  const { dataSources: listed = [] } = spec;
  const contained = containedRoles(role, index).roles;
  const more = new Map<unknown, DataSource>();
  for (const source of [selectedBy(role, index), ...contained.map((inner) => givenBy(inner, index))].flat())
    more.set(identityOf(source), source);
  for (const name of listed) more.delete(identityOf(index.resolve('DataSource', name, role)));
  const names = [...more.values()].map((extra) => nameFrom(role, extra, index));
  return { ...role, spec: { ...spec, dataSources: [...listed, ...names.toSorted()] } };
}

/** True if a role lists all its data sources, and not only single ones: then others are removed. */
export function listsDataSources({ spec }: Role): boolean {
  return (spec.dataSources ?? spec.dataSourceSelector ?? spec.roles) !== undefined;
}

/** Returns the data sources that a role's own definitions give, without those of the roles that it contains. */
export function givenBy(role: Role, index: ReferenceIndex): DataSource[] {
  const resolve = (name: string, from: ObjectDefinition) => index.resolve('DataSource', name, from);
  return [
    ...(role.spec.dataSources ?? []).map((name) => resolve(name, role)),
    ...selectedBy(role, index),
    ...index.additionsTo(role).map((membership) => resolve(membership.spec.dataSource, membership)),
  ];
}

function selectedBy(role: Role, index: ReferenceIndex): DataSource[] {
  const { dataSourceSelector } = role.spec;
  if (dataSourceSelector === undefined) return [];
  return index.select(dataSourceSelector, role).map((declared) => ({ naturalKey: declared.spec.alias, declared }));
}

/** Identity of a data source: one name may be declared in several namespaces. */
const identityOf = ({ declared, naturalKey }: DataSource): unknown => declared ?? naturalKey;

/** A name by which a role means a data source. */
function nameFrom(role: Role, { naturalKey, declared }: DataSource, index: ReferenceIndex): string {
  if (declared === undefined) return naturalKey;
  const names = [declared.metadata.name, declared.spec.alias];
  return names.find((name) => index.resolve('DataSource', name, role).declared === declared) ?? naturalKey;
}
