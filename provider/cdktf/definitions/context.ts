import type { Definition, DefinitionOf, Loaded, ObjectDefinition } from '@rolecall/crds';
import type { TerraformProvider } from 'cdktf';
import type { Construct } from 'constructs';
import type {
  DataRolecallDataSource,
  DataRolecallPerson,
  DataRolecallRole,
  DataSource,
  Person,
  Role,
} from '../bindings/index.ts';
import { literal } from '../literal.ts';
import { lookUpDataSource, lookUpPerson, lookUpRole } from '../lookup.ts';
import type { Password } from './password.ts';

/** Context in which the objects of a set of definitions are built. */
export interface Context {
  readonly scope: Construct;
  readonly provider: TerraformProvider | undefined;
  readonly passwords: Readonly<Record<string, Password>>;
  readonly references: Loaded['references'];
  /** The memberships that are set together with the list of their role. */
  readonly additions: ReadonlyMap<Definition, readonly DefinitionOf<'RoleMembership'>[]>;
  /** Objects to which others can refer. An unmanaged object is looked up, and only if something refers to it. */
  readonly built: {
    readonly people: Map<Definition, () => Person | DataRolecallPerson>;
    readonly roles: Map<Definition, () => Role | DataRolecallRole>;
    readonly dataSources: Map<Definition, () => DataSource | DataRolecallDataSource>;
  };
}

/** The id of a definition's construct. Neither names nor namespaces have an underscore or a colon. */
export function constructId(prefix: string, { metadata: { namespace, name } }: ObjectDefinition): string {
  return `${prefix}_${namespace === undefined ? '' : `${namespace}:`}${name}`;
}

type From = ObjectDefinition;

/** The id of the person that a definition refers to, as a token. */
export function personId({ references, built, ...lookups }: Context, reference: string, from: From): string {
  const { declared, naturalKey } = references.resolve('Person', reference, from);
  return (declared && built.people.get(declared)?.())?.id ?? lookUpPerson(lookups, naturalKey, literal).id;
}

export function roleId({ references, built, ...lookups }: Context, reference: string, from: From): string {
  const { declared, naturalKey } = references.resolve('Role', reference, from);
  return (declared && built.roles.get(declared)?.())?.id ?? lookUpRole(lookups, naturalKey, literal).id;
}

export function dataSourceId({ references, built, ...lookups }: Context, reference: string, from: From): string {
  const { declared, naturalKey } = references.resolve('DataSource', reference, from);
  return (declared && built.dataSources.get(declared)?.())?.id ?? lookUpDataSource(lookups, naturalKey, literal).id;
}
