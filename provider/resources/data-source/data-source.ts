import { type DataSource, type DataSourceDetail, parseConnectionUri, readConnectionUri } from '@rolecall/api';
import {
  compareConnections,
  type DesiredDataSource,
  dataSourceKey,
  dataSourceKind,
  deleteStep,
  type FieldChange,
  type Step,
} from '@rolecall/reconcile';
import { warning } from '../../plugin/framework/diagnostics.ts';
import type { Applied, Resource, VerbContext } from '../../plugin/framework/resource.ts';
import { isSame, type ObjectValue, unknown, type Value } from '../../plugin/values/value.ts';
import { problemOf } from '../../workspace/failures.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { hold } from '../shared/adoption.ts';
import { declared, toDelete } from '../shared/engine.ts';
import { createOrAdopt, deletion, nameIn, planCreate, subjectOf, takePlanned } from '../shared/lifecycle.ts';
import { inTurn, nameOf, refuseTaken, takingNames } from '../shared/names.ts';
import { keepSpelling, needText, textOf } from '../shared/values.ts';
import { dataSources } from './adoption.ts';
import {
  hasFingerprint,
  isNewPassword,
  keptPassword,
  passwordIn,
  passwordToSend,
  refuseLostPassword,
  remember,
  validateConnection,
  withoutPassword,
} from './connection.ts';
import { dataSourceSchema } from './schema.ts';

type Context = VerbContext<Workspace>;
/** A connection to a database server. */
export const dataSource: Resource<Workspace> = {
  type: dataSources.type,
  schema: dataSourceSchema,
  identity: ['id'],
  listing: {
    filters: ['type'],
    list: async ({ workspace }) =>
      (await workspace.view().dataSources()).all.map(({ id, alias, name, type }) => ({
        name: alias ?? name,
        attributes: { id, type },
      })),
  },

  validate: validateConnection,

  plan: async (request, context) => {
    const { prior, planned } = request;
    const alias = textOf(planned, 'alias');
    if (alias !== undefined)
      await hold(subjectOf(dataSources, alias, dataSourceKey(alias)), request, context.workspace);
    const next = { ...request, planned: { ...planned, type: typeIn(planned) } };
    if (prior === null) return planCreate(dataSources, next, context);
    const id = needText(prior, 'id');
    await context.workspace.ledger.enter(subjectOf(dataSources, nameIn(prior, dataSources), id), 'kept');
    await refuseTaken(dataSources, planned, id, context);
    if (!isSame('string', prior['uri'] ?? null, planned['uri'] ?? null))
      await refuseLostPassword(id, planned, request.config, context.workspace);
    return { planned: next.planned, private: { ...request.private, id } };
  },

  create: async ({ planned, config, private: { adopts: adopted } }, context) => {
    const { workspace } = context;
    const existing = await takePlanned(dataSources, adopted, workspace.before.dataSources, workspace);
    if (existing !== undefined) return takeOver(existing, planned, config, workspace);
    const password = passwordIn(planned, config);
    const create = async () => (await workspace.run(stepsTo(planned, undefined, password), password)).createDataSource;
    const done = await createOrAdopt(dataSources, create, { planned, config }, context);
    if ('existing' in done) return takeOver(done.existing, planned, config, workspace);
    return applied(done.made, planned, remember(done.made, textOf(config, 'password_wo')));
  },

  read: async ({ state, private: before }, context) => {
    const { workspace } = context;
    const dataSource = (await workspace.view().dataSources()).byId.get(needText(state, 'id'));
    if (dataSource === undefined) return { state: null };
    const seen = { ...state, name: dataSource.name, alias: aliasOf(dataSource, state), type: dataSource.type };
    // It has not been written since this resource last saw all of it, so there is no need to see all of it again.
    if (dataSource.updatedAt === state['updated_at']) return { state: seen };
    const detail = await readDetail(dataSource, context);
    if (detail === undefined) return { state: seen };
    const current = readConnectionUri(detail.configUri);
    const isSameUri = compareConnections(readConnectionUri(needText(state, 'uri')), current).length === 0;
    return {
      state: {
        ...seen,
        uri: isSameUri ? (state['uri'] ?? null) : withoutPassword(detail.configUri),
        password: state['password'] === null ? null : (current.password ?? null),
        // Forgotten, so that the next plan sends the password again.
        password_wo_version: hasFingerprint(before, current.password) ? (state['password_wo_version'] ?? null) : null,
        updated_at: detail.updatedAt,
      },
    };
  },

  update: async ({ prior, planned, config, private: before }, { workspace }) => {
    const id = needText(prior, 'id');
    const isNew = isNewPassword(prior, planned, passwordIn(planned, config));
    const sendsUri = isNew || !isSame('string', prior['uri'] ?? null, planned['uri'] ?? null);
    const password = sendsUri ? await passwordToSend(id, planned, config, workspace) : undefined;
    const current = { id, name: needText(prior, 'name'), alias: textOf(prior, 'alias') ?? null };
    const steps = stepsTo(planned, current, password, sendsUri ? [connectionChanged] : []);
    const make = async () => (await workspace.run(steps, password)).updateDataSource;
    const free = async () => {
      if (textOf(planned, 'alias') === textOf(prior, 'alias')) return false;
      const [freeing] = stepsTo(planned, current, password, [], 'alias');
      await workspace.run(freeing === undefined ? [] : [freeing]);
      return true;
    };
    const changed = await takingNames({ id, make, free }, [nameOf(dataSources, planned, workspace)], workspace);
    if (changed === undefined) return { state: { ...planned, updated_at: prior['updated_at'] ?? null } };
    const written = textOf(config, 'password_wo');
    return applied(changed, planned, written === undefined ? { ...before, id } : remember(changed, written));
  },

  ...deletion(dataSources, (state, workspace) => {
    const [id, name] = [needText(state, 'id'), nameIn(state, dataSources)];
    return workspace.run([deleteStep({ kind: 'DataSource', id, name }, { kind: 'DataSource', name }, toDelete)]);
  }),

  importedBy: 'its identifier or its alias',
  import: async ({ id }, { workspace }) => {
    const { byId, byKey } = await workspace.view().dataSources();
    const dataSource = byId.get(id) ?? byKey.get(dataSourceKey(id))?.[0];
    if (dataSource === undefined) return { state: null };
    const detail = await workspace.view().dataSourceDetail(dataSource.id);
    return applied(detail, { uri: withoutPassword(detail.configUri) }, { id: dataSource.id });
  },
};

function typeIn(planned: ObjectValue): Value {
  const uri = textOf(planned, 'uri');
  return uri === undefined ? unknown : parseConnectionUri(uri).type;
}

/** Stands for a connection that is sent again, whatever of it differs. */
const connectionChanged: FieldChange = { field: 'uri', from: null, to: null };

/** The calls from the data source that is there, if any, to the planned one. */
function stepsTo(
  planned: ObjectValue,
  current: Pick<DataSource, 'id' | 'name' | 'alias'> | undefined,
  password: string | undefined,
  connection: FieldChange[] = [],
  freed?: 'alias',
): Step[] {
  const alias = needText(planned, 'alias');
  const desired: DesiredDataSource = {
    ...declared,
    kind: 'DataSource',
    name: alias,
    alias,
    displayName: needText(planned, 'name'),
    uri: needText(planned, 'uri'),
    // The workspace's `run` is given the password itself.
    ...(password === undefined ? {} : { password: { env: 'password_wo' } }),
  };
  const observed = {
    dataSource: current,
    ambiguous: undefined,
    connection,
    hasPassword: false,
    isUncompared: false,
    names: inTurn(['alias'] as const, freed),
    claims: [],
  };
  return dataSourceKind.diff(desired, observed).steps;
}

/**
 * Makes an adopted data source match the definition, by one call at most.
 *
 * @throws DiagnosticError where its password would be lost
 */
async function takeOver(
  existing: DataSource,
  planned: ObjectValue,
  config: ObjectValue,
  workspace: Workspace,
): Promise<Applied> {
  const detail = await workspace.view().dataSourceDetail(existing.id);
  const current = readConnectionUri(detail.configUri);
  const uri = needText(planned, 'uri');
  const password = passwordIn(planned, config);
  if (password === undefined) keptPassword(uri, detail.configUri);
  const isOther = password !== undefined && password !== current.password;
  const connection = compareConnections(parseConnectionUri(uri), current);
  // Found by its alias, which may be spelled in another way.
  const dataSource = { ...detail, alias: needText(planned, 'alias') };
  const steps = stepsTo(planned, dataSource, password, isOther ? [...connection, connectionChanged] : connection);
  const { updateDataSource: changed = detail } = await workspace.run(steps, password);
  return applied(changed, planned, remember(changed, textOf(config, 'password_wo')));
}

/** All of a data source; undefined, with a warning, where the key may not read it. */
async function readDetail(
  dataSource: DataSource,
  { workspace, report }: Context,
): Promise<DataSourceDetail | undefined> {
  try {
    return await workspace.view().dataSourceDetail(dataSource.id);
  } catch (error) {
    if (problemOf(error)?.kind !== 'scope') throw error;
    report(
      warning(
        `The connection of ${dataSource.alias ?? dataSource.name} was not compared`,
        'The data source was changed since Terraform last wrote it, and the API key lacks the scope admin, which reading its connection URI needs. Use a key with that scope to see what changed.',
        ['uri'],
      ),
    );
    return undefined;
  }
}

/** The alias as the state has it: as it was written, where that means the same. */
function aliasOf(dataSource: DataSource, written: ObjectValue): Value {
  return dataSource.alias === null ? null : keepSpelling(written['alias'], dataSource.alias, dataSourceKey);
}

/**
 * The state of a data source.
 *
 * @param written what was planned or imported, for what the service does not tell
 */
function applied(
  dataSource: DataSource,
  written: ObjectValue,
  privateState: Readonly<Record<string, string>>,
): Applied {
  return {
    state: {
      id: dataSource.id,
      name: dataSource.name,
      alias: aliasOf(dataSource, written),
      uri: written['uri'] ?? null,
      password: written['password'] ?? null,
      password_wo: null,
      password_wo_version: written['password_wo_version'] ?? null,
      type: dataSource.type,
      protected: written['protected'] ?? null,
      adopt: written['adopt'] ?? null,
      created_at: dataSource.createdAt,
      updated_at: dataSource.updatedAt,
    },
    private: privateState,
  };
}
