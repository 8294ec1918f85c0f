import type { TerraformProvider } from 'cdktf';
import type { Construct } from 'constructs';
import { DataRolecallDataSource, DataRolecallPerson, DataRolecallRole } from './bindings/index.ts';
import { PropertyError } from './errors.ts';
import { needText } from './known.ts';

/**
 * Something of the workspace: a construct that has its id (a resource or a data source), anything else with an id, or the
 * name that it has there, by which Terraform looks it up.
 */
export type Reference = string | { readonly id: string };

/** The scope of lookups. A name is looked up once, however often it is needed. */
export interface Lookups {
  readonly scope: Construct;
  readonly provider?: TerraformProvider | undefined;
}

/** Writes a name into the configuration. */
type Write = (name: string) => string;

const asItIs: Write = (name) => name;

/** The lookup of a person by username. An unknown username is an error of Terraform's. */
export function lookUpPerson({ scope, provider }: Lookups, username: string, write = asItIs): DataRolecallPerson {
  const id = lookupId('person', username);
  const child = scope.node.tryFindChild(id);
  if (child instanceof DataRolecallPerson) return child;
  return new DataRolecallPerson(scope, id, { username: write(username), provider });
}

/** The lookup of a data source by alias. */
export function lookUpDataSource({ scope, provider }: Lookups, alias: string, write = asItIs): DataRolecallDataSource {
  const id = lookupId('data_source', alias);
  const child = scope.node.tryFindChild(id);
  if (child instanceof DataRolecallDataSource) return child;
  return new DataRolecallDataSource(scope, id, { alias: write(alias), provider });
}

/** The lookup of a role by name. */
export function lookUpRole({ scope, provider }: Lookups, name: string, write = asItIs): DataRolecallRole {
  const id = lookupId('role', name);
  const child = scope.node.tryFindChild(id);
  if (child instanceof DataRolecallRole) return child;
  return new DataRolecallRole(scope, id, { name: write(name), provider });
}

/** Constructs replaces a slash in an id, which could make two names the same. */
function lookupId(kind: 'person' | 'data_source' | 'role', name: string): string {
  return `lookup_${kind}_${escapeId(name)}`;
}

/** Writes a name as it can stand in the id of a construct, different names differently. */
export function escapeId(name: string): string {
  return name.replaceAll('%', '%25').replaceAll('/', '%2F');
}

const lookUp = { person: lookUpPerson, data_source: lookUpDataSource };
const nouns = { person: 'username', data_source: 'alias' };

/**
 * The id of what a property refers to, looked up where that is a name.
 *
 * @param property what the reference is called, such as `members[1]`
 * @throws PropertyError where a name is empty, UnresolvedTokenError where it is a token
 */
export function idOf(lookups: Lookups, kind: 'person' | 'data_source', property: string, reference: Reference): string {
  if (typeof reference === 'string') {
    const remedy = `Pass the ${nouns[kind]} as plain text, or the construct (or { id }) instead.`;
    needText(lookups.scope, property, reference, remedy);
    return lookUp[kind](lookups, reference).id;
  }
  if (typeof reference.id === 'string' && reference.id !== '') return reference.id;
  const remedy = `Pass a construct that has an id, { id }, or the ${nouns[kind]}.`;
  throw new PropertyError(lookups.scope, property, 'has no id', remedy);
}
