import {
  asciiUri,
  type ConnectionUri,
  type DataSource,
  defaultPorts,
  parseConnectionUri,
  readConnectionUri,
} from '@rolecall/api';
import { type DesiredDataSource, label, named, type SecretSource } from '../model/desired.ts';
import { dataSourceKey } from '../model/keys.ts';
import {
  differs,
  emptyDiff,
  type FieldChange,
  makeStep,
  missing,
  type Refusal,
  referenceName,
  type SecretUri,
  type Step,
  type StepOf,
} from '../model/step.ts';
import type { Collection } from '../view/view.ts';
import type { Kind, Observation } from './kind.ts';
import { findNameTurns, type NameTurn, type NameTurns, type UniqueNames } from './name-turn.ts';
import { oneCandidate } from './one-candidate.ts';
import type { Surroundings } from './scope.ts';

export interface ObservedDataSource extends Observation {
  dataSource: Pick<DataSource, 'id' | 'name' | 'alias'> | undefined;
  ambiguous: Refusal | undefined;
  /** The differences from the declared connection; a secret appears only as its fingerprint. */
  connection: FieldChange[];
  /** True if the service holds a password for it. */
  hasPassword: boolean;
  /** True if the service did not say whether its password is the declared one. */
  isUncompared: boolean;
  /** The turn in which it may take its alias. */
  names: NameTurns<'alias'>;
}

/** A connection to a database server. Its password is compared while observing, so that no diff ever holds one. */
export const dataSourceKind: Kind<DesiredDataSource, ObservedDataSource> = {
  key: (desired) => dataSourceKey(desired.alias),
  references: () => [],

  async observe(desired, scope) {
    const { view, resolveSecret, fingerprint } = scope;
    const dataSources = await view.dataSources();
    const candidate = oneCandidate(desired, scope, dataSources, dataSourceKey(desired.alias), ({ name }) => name);
    // Resolved even where it is not compared: a secret that cannot be had must stop the run before its first call.
    const password = desired.password === undefined ? undefined : await passwordOf(desired.password, resolveSecret);
    const names = findNameTurns(desired, candidate.object, uniqueNames(dataSources), scope);
    const observed = { dataSource: candidate.object, ambiguous: candidate.ambiguous, claims: candidate.claims, names };
    if (candidate.object === undefined) return { ...observed, connection: [], hasPassword: false, isUncompared: false };
    const { uri, hasPassword } = await view.connection(candidate.object.id);
    const [declared, current] = [parseConnectionUri(desired.uri), readConnectionUri(uri)];
    const connection = [
      ...compareConnections(declared, current),
      ...(view.isAsWritten() ? undeclared(declared, current) : []),
    ];
    const isSame = password === undefined || (await view.isPassword(candidate.object.id, password));
    if (password !== undefined && isSame === false) {
      connection.push({ field: 'password', from: hasPassword ? 'another secret' : null, to: fingerprint(password) });
    }
    return { ...observed, connection, hasPassword, isUncompared: isSame === undefined };
  },

  diff(desired, { dataSource, ambiguous, connection, hasPassword, isUncompared, names }) {
    const diff = emptyDiff();
    if (ambiguous !== undefined) return { ...diff, refusals: [ambiguous] };
    diff.refusals.push(...names.refusals);
    const [turn] = names.turns;
    if (dataSource === undefined) return { ...diff, steps: [create(desired, turn)] };
    if (isUncompared) diff.notes.push({ object: label(desired), message: uncompared, code: 'undetermined' });
    const changes = [...connection];
    if (dataSource.name !== desired.displayName) {
      changes.unshift({ field: 'name', from: dataSource.name, to: desired.displayName });
    }
    if (dataSource.alias !== desired.alias) {
      changes.unshift({ field: 'alias', from: dataSource.alias, to: desired.alias });
    }
    if (connection.length > 0 && desired.password === undefined && hasPassword) {
      diff.refusals.push(passwordUndeclared(desired, connection));
    }
    if (turn?.frees !== undefined) diff.steps.push(freeAlias(desired, dataSource, turn.frees.id));
    if (changes.length > 0) diff.steps.push(update(desired, dataSource, changes, connection.length > 0, turn));
    return diff;
  },
};

const uniqueNames = ({ byKey }: Collection<DataSource>): UniqueNames<DesiredDataSource, DataSource, 'alias'> => ({
  kind: 'DataSource',
  update: 'updateDataSource',
  removal: 'deleteDataSource',
  fields: ['alias'],
  declared: ({ alias }) => dataSourceKey(alias),
  current: ({ alias }) => (alias === null ? undefined : dataSourceKey(alias)),
  index: () => byKey,
  refuse: aliasTaken,
});

function create(desired: DesiredDataSource, turn: NameTurn<'alias'> | undefined): Step {
  return makeStep('createDataSource', [dataSourceKey(desired.alias)], named(desired), {
    params: {},
    body: { name: desired.displayName, alias: desired.alias, configUri: connection(desired) },
    summary: `create the data source ${desired.alias} (${desired.uri})`,
    reason: missing,
    effect: 'create',
    makes: referenceName('DataSource', dataSourceKey(desired.alias)),
    after: [...(turn?.after ?? [])],
  });
}

function update(
  desired: DesiredDataSource,
  current: Pick<DataSource, 'id'>,
  changes: FieldChange[],
  connects: boolean,
  turn: NameTurn<'alias'> | undefined,
): Step {
  const body: StepOf<'updateDataSource'>['body'] = {};
  if (changes.some(({ field }) => field === 'name')) body.name = desired.displayName;
  if (changes.some(({ field }) => field === 'alias')) body.alias = desired.alias;
  if (connects) body.configUri = connection(desired);
  return makeStep('updateDataSource', [dataSourceKey(desired.alias)], named(desired), {
    params: { dataSource: current.id },
    body,
    summary: `change the data source ${desired.alias}`,
    reason: differs,
    effect: 'change',
    changes,
    after: [...(turn?.after ?? []), ...(turn?.frees === undefined ? [] : [turn.frees.id])],
  });
}

/** Data sources that take each other's aliases wait for one that goes without one for a moment. */
function freeAlias(
  desired: DesiredDataSource,
  { id: dataSource, alias }: Pick<DataSource, 'id' | 'alias'>,
  id: string,
): Step {
  return {
    id,
    operation: 'updateDataSource',
    params: { dataSource },
    body: { alias: null },
    object: named(desired),
    summary: `free the alias ${alias ?? ''}, until the data source gets the alias ${desired.alias}`,
    reason: 'data sources exchange their aliases, and the service has each alias once',
    effect: 'change',
    changes: [{ field: 'alias', from: alias, to: null }],
    after: [],
  };
}

const connection = (desired: DesiredDataSource): SecretUri => ({
  uri: asciiUri(desired.uri),
  password: desired.password ?? null,
});

const uncompared =
  'is compared without its password: the service does not compare it for this key at the moment, as after too many wrong ones';

/** Compares what is declared; parameters that a service appended are no drift (specification, Data Source). */
export function compareConnections(desired: ConnectionUri, current: ConnectionUri): FieldChange[] {
  const changes: FieldChange[] = [];
  const compareField = (field: string, from: string | number | undefined, to: string | number | undefined) => {
    if (from !== to) changes.push({ field, from: from?.toString() ?? null, to: to?.toString() ?? null });
  };
  compareField('type', current.type, desired.type);
  compareField('user', current.user, desired.user);
  compareField('host', current.host, desired.host);
  compareField('port', current.port ?? defaultPorts[current.type], desired.port ?? defaultPorts[desired.type]);
  compareField('database', current.database, desired.database);
  for (const [name, value] of Object.entries(desired.parameters)) compareField(name, current.parameters[name], value);
  return changes;
}

/** Parameters that are in use and not declared, such as one that a definition no longer has, or that someone added by hand. */
function undeclared(desired: ConnectionUri, current: ConnectionUri): FieldChange[] {
  return Object.entries(current.parameters)
    .filter(([name]) => desired.parameters[name] === undefined)
    .map(([field, from]) => ({ field, from, to: null }));
}

function passwordUndeclared(desired: DesiredDataSource, changes: readonly FieldChange[]): Refusal {
  return {
    rail: 'password-undeclared',
    objects: [label(desired)],
    message: `${label(desired)} changes ${changes.map(({ field }) => field).join(', ')}, which sends the whole URI, but declares no password while the service holds one`,
    remedy: 'declare passwordFrom, so that the password is not lost, nor sent to another host unasked',
  };
}

function aliasTaken(desired: DesiredDataSource, _field: 'alias', { id, name }: DataSource): Refusal {
  return {
    rail: 'alias-taken',
    objects: [label(desired)],
    message: `${label(desired)} declares the alias ${desired.alias}, which another data source in the workspace has: ${name} (id ${id})`,
    remedy:
      'choose another alias, or delete that data source; where its definition is to give the alias up, find out what holds that back',
  };
}

/**
 * The password that a source gives.
 *
 * @throws what the resolver throws, and where it is empty: a service takes that for none, so that it would take away the one
 *   that is in use and differ from what is declared for ever
 */
export async function passwordOf(source: SecretSource, resolveSecret: Surroundings['resolveSecret']): Promise<string> {
  const password = await resolveSecret(source);
  if (password === '') throw new Error(`no password can be taken from ${described(source)}, which is empty`);
  return password;
}

function described(source: SecretSource): string {
  if ('env' in source) return `the environment variable ${source.env}`;
  if ('file' in source) return source.file;
  const { name, key } = source.secretKeyRef;
  return `the key ${key} of the Secret ${name}`;
}
