import { type DataSource, type DataSourceDetail, parseConnectionUri, readConnectionUri } from '@rolecall/api';
import { compareConnections, dataSourceKey } from '@rolecall/reconcile';
import { warning } from '../framework/diagnostics.ts';
import type { Applied, Planned, PlanRequest, Resource, VerbContext } from '../framework/resource.ts';
import { isSame, type ObjectValue, unknown, type Value } from '../values/value.ts';
import { isGone, problemOf } from '../workspace/failures.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { adopts, isManaged, isTakenOver, leave } from './adoption.ts';
import { adoptDataSource, held, takeOverDataSource } from './data-source-adoption.ts';
import {
  isNewPassword,
  passwordIn,
  passwordToSend,
  refuseLostPassword,
  remember,
  validatePasswords,
} from './data-source-password.ts';
import { forceDataSource } from './data-source-replacement.ts';
import { dataSourceSchema } from './data-source-schema.ts';
import { aliasOf, applied } from './data-source-state.ts';
import { withoutPassword, withPassword } from './data-source-uri.ts';
import { hasFingerprint } from './fingerprint.ts';
import { isTainted, replacedBy } from './forced-replacement.ts';
import { hold, keep } from './holding.ts';
import { refuseProtected } from './protection.ts';
import { needText, textOf } from './values.ts';

type Context = VerbContext<Workspace>;

/** A connection to a database server. */
export const dataSource: Resource<Workspace> = {
  type: 'rolecall_data_source',
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

  validate: validatePasswords,

  plan: async (request, context) => {
    const { prior, planned } = request;
    const alias = textOf(planned, 'alias');
    if (alias !== undefined) hold(`data source ${dataSourceKey(alias)}`, held(alias), request, context.workspace);
    return prior === null ? planCreate(request, context) : planChange(request, prior, context);
  },

  planDestroy: async ({ state }, { workspace }) => {
    const alias = needText(state, 'alias');
    refuseProtected(state, { what: 'data source', name: alias, fate: 'be deleted' });
    leave(needText(state, 'id'), `the data source ${alias}`, workspace);
    await workspace.removals.remove('dataSources', alias);
  },

  create: async ({ planned, config, private: { adopts: adopted } }, context) => {
    const { workspace } = context;
    const existing = adopted === undefined ? undefined : (await workspace.before.dataSources()).byId.get(adopted);
    if (existing === undefined || workspace.removed.has(existing.id)) return create(planned, config, context);
    return takeOverDataSource(existing, planned, config, workspace);
  },

  read: async ({ state, private: before }, context) => {
    const { workspace } = context;
    const found = (await workspace.view().dataSources()).byId.get(needText(state, 'id'));
    if (found === undefined) return { state: null };
    const seen = { ...state, name: found.name, alias: aliasOf(found, state), type: found.type };
    // It has not been written since this resource last saw all of it, so there is no need to see all of it again.
    if (found.updatedAt === state['updated_at']) return { state: seen };
    const detail = await readDetail(found, context);
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
    const body = await changesOf(prior, planned, config, workspace);
    if (Object.keys(body).length === 0) {
      return { state: { ...planned, updated_at: prior['updated_at'] ?? null } };
    }
    const params = { dataSource: needText(prior, 'id') };
    const changed = await workspace.call('updateDataSource', { params, body });
    const password = textOf(config, 'password_wo');
    return applied(
      changed,
      planned,
      password === undefined ? { ...before, id: changed.id } : remember(changed, password),
    );
  },

  remove: async ({ state }, { workspace, report }) => {
    const id = needText(state, 'id');
    // No plan asks for that; of a tainted data source whose alias changed too it does not see that it does.
    refuseProtected(state, { what: 'data source', name: needText(state, 'alias'), fate: 'be deleted' });
    if (isTakenOver(id, `the data source ${needText(state, 'alias')}`, workspace, report)) return;
    try {
      await workspace.call('deleteDataSource', { params: { dataSource: id } });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
    workspace.removed.add(id);
  },

  import: async ({ id }, { workspace }) => {
    const { byId, byKey } = await workspace.view().dataSources();
    const found = byId.get(id) ?? byKey.get(dataSourceKey(id))?.[0];
    if (found === undefined) return { state: null };
    const detail = await workspace.view().dataSourceDetail(found.id);
    return applied(detail, { uri: withoutPassword(detail.configUri) }, { id: found.id });
  },
};

async function planCreate({ planned, config, private: before }: PlanRequest, context: Context): Promise<Planned> {
  const { workspace } = context;
  const next = { ...planned, type: typeIn(planned) };
  const alias = textOf(planned, 'alias');
  if (!workspace.isKnown) return { planned: next };
  const replaced = replacedBy(before, workspace);
  if (replaced !== undefined) await forceDataSource(replaced, planned, config, context);
  if (alias === undefined) return { planned: next };
  const existing = (await workspace.before.dataSources()).byKey
    .get(dataSourceKey(alias))
    ?.find(({ id }) => id !== before['id'] && !workspace.removed.has(id));
  if (existing === undefined) return { planned: next };
  const found = { ...held(alias), id: existing.id };
  if (isManaged('rolecall_data_source', found, context)) {
    if (isTainted('rolecall_data_source', existing.id, before, context))
      await forceDataSource(existing.id, planned, config, context);
    return { planned: next };
  }
  await adoptDataSource(alias, existing.id, planned, config, context);
  await refuseLostPassword(existing.id, planned, config, workspace);
  return {
    planned: { ...next, id: existing.id, created_at: existing.createdAt },
    private: adopts(existing.id),
  };
}

async function planChange(
  { planned, config, private: before }: PlanRequest,
  prior: ObjectValue,
  { workspace }: Context,
): Promise<Planned> {
  const id = needText(prior, 'id');
  keep(id, held(needText(prior, 'alias')), workspace);
  const next = { ...planned, type: typeIn(planned) };
  if (!isSame('string', prior['uri'] ?? null, planned['uri'] ?? null))
    await refuseLostPassword(id, planned, config, workspace);
  return { planned: next, private: { ...before, id } };
}

function typeIn(planned: Readonly<Record<string, Value>>): Value {
  const uri = textOf(planned, 'uri');
  return uri === undefined ? unknown : parseConnectionUri(uri).type;
}

async function create(planned: ObjectValue, config: ObjectValue, context: Context): Promise<Applied> {
  const { workspace } = context;
  const alias = needText(planned, 'alias');
  const password = passwordIn(planned, config);
  const body = { name: needText(planned, 'name'), alias, configUri: withPassword(needText(planned, 'uri'), password) };
  try {
    const made = await workspace.call('createDataSource', { body });
    workspace.made.add(made.id);
    return applied(made, planned, remember(made, textOf(config, 'password_wo')));
  } catch (error) {
    if (problemOf(error)?.problem !== 'alias_taken') throw error;
    const existing = (await workspace.view().dataSources()).byKey.get(dataSourceKey(alias))?.[0];
    if (existing === undefined) throw error;
    await adoptDataSource(alias, existing.id, planned, config, context);
    await refuseLostPassword(existing.id, planned, config, workspace);
    return takeOverDataSource(existing, planned, config, workspace);
  }
}

/**
 * What an update sends: nothing of what stays as it is.
 *
 * @throws DiagnosticError where a password would be lost
 */
async function changesOf(prior: ObjectValue, planned: ObjectValue, config: ObjectValue, workspace: Workspace) {
  const changes = (name: string): boolean => !isSame('string', prior[name] ?? null, planned[name] ?? null);
  const sendsUri = changes('uri') || isNewPassword(prior, planned, passwordIn(planned, config));
  const password = sendsUri ? await passwordToSend(needText(prior, 'id'), planned, config, workspace) : undefined;
  return {
    ...(changes('name') ? { name: needText(planned, 'name') } : {}),
    ...(changes('alias') ? { alias: needText(planned, 'alias') } : {}),
    ...(sendsUri ? { configUri: withPassword(needText(planned, 'uri'), password) } : {}),
  };
}

/** All of a data source; undefined, with a warning, where the key may not read it. */
async function readDetail(found: DataSource, { workspace, report }: Context): Promise<DataSourceDetail | undefined> {
  try {
    return await workspace.view().dataSourceDetail(found.id);
  } catch (error) {
    if (problemOf(error)?.kind !== 'scope') throw error;
    report(
      warning(
        `The connection of ${found.alias ?? found.name} was not compared`,
        'The data source was changed since Terraform last wrote it, and the API key lacks the scope admin, which reading its connection URI needs. Use a key with that scope to see what changed.',
        ['uri'],
      ),
    );
    return undefined;
  }
}
