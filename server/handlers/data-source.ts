import { type DataSourceDetail, parseConnectionUri, redactConnectionUri } from '@rolecall/api';
import { changed, created, deleted } from '../audit/change.ts';
import type { Change } from '../audit/entry.ts';
import { deleteWithDataSource } from '../audit/fallout.ts';
import { showDataSource } from '../audit/show.ts';
import { uriSecrets } from '../audit/uri-secrets.ts';
import { laterThan } from '../clock.ts';
import type { Guard } from '../databases/guard/index.ts';
import { newId } from '../ids.ts';
import { invalidFields, Refusal } from '../refusal.ts';
import type { Seal } from '../secrets/seal.ts';
import {
  dataSourcePages,
  deleteDataSource,
  findDataSource,
  insertDataSource,
  reachablePages,
  type SealedDataSource,
  updateDataSource,
} from '../store/data-source.ts';
import { StoreUnavailableError } from '../store/errors.ts';
import { existingDataSource, existingSealedDataSource, listOf } from './existing.ts';
import type { Context, Handlers } from './handler.ts';

export const dataSourceHandlers = {
  createDataSource: async ({ body }, { store, seal, clock, guard }) => {
    await assertAllowed(body.configUri, guard);
    const id = newId();
    const now = clock().toISOString();
    const { name, alias = null, configUri } = body;
    return store.create(['data_source'], async (executor, record) => {
      // Sealed here: before, the key of the store could still be another one.
      const source = { id, name, alias, ...describeUri(configUri, id, seal), createdAt: now, updatedAt: now };
      await insertDataSource(executor, source);
      record([{ ...created(showDataSource(source)), ...secrets(undefined, configUri) }]);
      return detail(source, configUri);
    });
  },

  updateDataSource: async ({ params, body }, { store, seal, clock, guard }) => {
    if (body.configUri !== undefined) await assertAllowed(body.configUri, guard);
    // Permissions and editors show the data source's name and alias.
    return store.write(['data_source', 'permission', 'editor'], async (executor, record) => {
      const current = await existingSealedDataSource(executor, params.dataSource);
      const oldUri = seal.open(current.sealedUri, current.id);
      const { configUri = oldUri, name = current.name, alias = current.alias } = body;
      // The password goes back only to a client that sent it: reading it is recorded, changing another field is not.
      const shown = body.configUri ?? redactConnectionUri(configUri);
      if (Object.keys(body).length === 0) return detail(current, shown);
      const source = {
        ...current,
        name,
        alias,
        ...describeUri(configUri, current.id, seal),
        updatedAt: laterThan(current.updatedAt, clock),
      };
      await updateDataSource(executor, source);
      const changes = changed(showDataSource(current), showDataSource(source));
      record(changes.map((change) => ({ ...change, ...secrets(oldUri, configUri) })));
      return detail(source, shown);
    });
  },

  deleteDataSource: async ({ params }, { store, queries }) => {
    await queries.vacate(params.dataSource, (ask) => store.write([], ask));
    const ids = await store.write(['data_source', 'permission', 'editor'], async (executor, record) => {
      const source = await existingDataSource(executor, params.dataSource);
      const fallen = await deleteWithDataSource(executor, params.dataSource);
      await deleteDataSource(executor, params.dataSource);
      record([deleted(showDataSource(source)), ...fallen]);
      return fallen.filter(({ kind }) => kind === 'query').map(({ id }) => id);
    });
    await queries.forget(params.dataSource, ids);
    return {};
  },

  listDataSources: async (_request, { lists }) =>
    lists.list('data_source', dataSourcePages, (id) => ({
      start: 0,
      read: async (executor) => {
        const source = await findDataSource(executor, id);
        return { rows: source === undefined ? [] : [source], next: undefined };
      },
    })),

  getDataSource: async ({ params }, { store }) =>
    store.read((executor) => existingDataSource(executor, params.dataSource)),

  getDataSourceDetail: async ({ params }, context) => {
    const { source, uri } = await findOpened(context, params.dataSource);
    const { fields: _same, ...object } = showDataSource(source);
    await recordReading(context, { ...object, action: 'password read' });
    return detail(source, uri);
  },

  testDataSource: async ({ params }, context) => {
    const { source, uri } = await findOpened(context, params.dataSource);
    const test = await context.testConnection(uri);
    const { fields: _same, ...object } = showDataSource(source);
    const change = { ...object, action: 'connection tested', after: { success: test.success } } as const;
    await context.store.write([], (_executor, record) => {
      record([change]);
    });
    return test;
  },

  listPersonDataSources: async ({ params }, { store, clock }) =>
    listOf(store, params, reachablePages(params.person, clock().toISOString())),
} satisfies Partial<Handlers>;

/** @throws Refusal unavailable if the reading cannot be recorded: then the password is not read */
async function recordReading({ store }: Context, reading: Change): Promise<void> {
  try {
    await store.write([], (_executor, record) => {
      record([reading]);
    });
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    throw new Refusal('unavailable', 'the password is not shown, since the audit trail cannot record that it is', {
      headers: { 'retry-after': '1' },
      cause: error,
    });
  }
}

/** Opened in the same reading, which is done again where the key of the store was changed in between. */
async function findOpened({ store, seal }: Context, id: string): Promise<{ source: SealedDataSource; uri: string }> {
  return store.read(async (executor) => {
    const source = await existingSealedDataSource(executor, id);
    return { source, uri: seal.open(source.sealedUri, source.id) };
  });
}

/** Names the field at fault before anything is stored. What only a name server knows is found when connecting. */
async function assertAllowed(uri: string, guard: Guard): Promise<void> {
  const message = await guard.refusal(parseConnectionUri(uri));
  if (message !== undefined) throw invalidFields([{ path: 'configUri', message }]);
}

function secrets(before: string | undefined, after: string): Pick<Change, 'secrets'> {
  const said = uriSecrets(before, after);
  return said.length === 0 ? {} : { secrets: said };
}

/** The stored form of a connection URI: its type, the part that lists show, and all of it, sealed. */
function describeUri(uri: string, id: string, seal: Seal) {
  return { type: parseConnectionUri(uri).type, configUri: redactConnectionUri(uri), sealedUri: seal.close(uri, id) };
}

function detail({ sealedUri: _secret, ...source }: SealedDataSource, configUri: string): DataSourceDetail {
  return { ...source, configUri };
}
