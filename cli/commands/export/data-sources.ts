import { type DataSource, formatConnectionUri } from '@rolecall/api';
import { dataSourceKey, visible } from '@rolecall/reconcile';
import { distinct, sameSpelling } from './distinct.ts';
import { type ExportedDocument, emptyPart, faultOf, type Part, quoted } from './document.ts';
import { allocateNames, firstFree } from './names.ts';
import type { Connection, Snapshot } from './snapshot.ts';

/** An environment variable that plan and apply take a password from. */
export interface Variable {
  name: string;
  /** The metadata.name of the data source. */
  dataSource: string;
  /** The connection, without the password. */
  uri: string;
}

export interface DataSources extends Part {
  /** Names that definitions use for a data source, by id: its metadata.name or, where it is not declared, its alias. */
  references: Map<string, string>;
  variables: Variable[];
  /** True if the key may not read connections, so that no data source could be declared. */
  denied: boolean;
}

type Aliased = DataSource & { alias: string };

/** Declares the data sources, each in a file of its own, their passwords as variables to be set. */
export function composeDataSources(
  { dataSources, connections }: Pick<Snapshot, 'dataSources' | 'connections'>,
  { leavePasswords }: { leavePasswords: boolean },
): DataSources {
  const aliased = dataSources.filter((dataSource): dataSource is Aliased => dataSource.alias !== null);
  const { unique, leftOut } = distinct(aliased, ({ alias }) => dataSourceKey(alias), describeDataSource, sameSpelling);
  const composed: DataSources = {
    ...emptyPart(),
    references: new Map(),
    variables: [],
    denied: connections === undefined,
  };
  composed.leftOut.push(
    ...dataSources
      .filter(({ alias }) => alias === null)
      .map((dataSource) => ({
        what: describeDataSource(dataSource),
        reason: 'it has no alias, by which definitions find a data source',
        remedy: 'give it an alias in the workspace',
      })),
    ...leftOut,
  );
  if (connections === undefined) {
    for (const dataSource of unique) refer(dataSource, composed);
    return composed;
  }
  const names = allocateNames(
    unique.map(({ id, alias, name, createdAt }) => ({ id, naturalKey: alias, sources: [alias, name], createdAt })),
    (alias) => alias,
    'data-source',
  );
  for (const dataSource of unique) declare(dataSource, connections.get(dataSource.id), names, leavePasswords, composed);
  return composed;
}

/** Refers to a data source that cannot be declared by its alias, unless that is no reference. */
function refer(dataSource: Aliased, { references, leftOut }: DataSources): void {
  const { id, alias } = dataSource;
  const fault = faultOf({ kind: 'RoleMembership', name: 'any', spec: { role: 'any', dataSource: alias } });
  if (fault === undefined) references.set(id, alias);
  else leftOut.push({ what: describeDataSource(dataSource), ...fault });
}

function declare(
  dataSource: Aliased,
  connection: Connection | undefined,
  names: ReadonlyMap<string, string>,
  leavePasswords: boolean,
  composed: DataSources,
): void {
  const { id, alias, name: displayName } = dataSource;
  const name = names.get(id) ?? alias;
  if (connection === undefined || 'fault' in connection) {
    const reason = connection?.fault ?? 'its connection was not read';
    composed.leftOut.push({
      what: describeDataSource(dataSource),
      reason,
      remedy: 'change its connection in the workspace',
    });
    return;
  }
  const uri = formatConnectionUri(connection.uri);
  const isTaken = (variable: string): boolean => composed.variables.some((other) => other.name === variable);
  const variable =
    connection.hasPassword && !leavePasswords
      ? firstFree(variableName(name), (candidate) => !isTaken(toVariable(candidate)))
      : undefined;
  const document: ExportedDocument = {
    kind: 'DataSource',
    name,
    spec: {
      alias: alias === name ? undefined : alias,
      name: displayName === name ? undefined : displayName,
      uri,
      passwordFrom: variable === undefined ? undefined : { env: toVariable(variable) },
    },
  };
  const fault = faultOf(document);
  if (fault !== undefined) {
    composed.leftOut.push({ what: describeDataSource(dataSource), ...fault });
    return;
  }
  composed.references.set(id, name);
  composed.placed.push({ file: `data-sources/${name}.yaml`, document });
  if (variable !== undefined)
    composed.variables.push({ name: toVariable(variable), dataSource: name, uri: visible(uri) });
}

/** `billing-eu` has its password in `BILLING_EU_PASSWORD`. */
function variableName(name: string): string {
  return `${/^[0-9]/.test(name) ? 'DB_' : ''}${name}_password`;
}

const toVariable = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]/g, '_');

function describeDataSource({ alias, name }: DataSource): string {
  return `DataSource ${quoted(alias ?? name)}`;
}
