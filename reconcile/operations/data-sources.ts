import { type DataSourceDetail, redactConnectionUri } from '@rolecall/api';
import { idOf, type StepOf } from '../model/step.ts';
import { splitConnection } from '../view/connection.ts';
import { type KeptReadings, memberLists } from './kept-readings.ts';
import { changes, creates, deletes, noAccess, type Rows, takesAccess } from './operation.ts';
import { exists } from './proof.ts';

export const dataSources: Rows<'createDataSource' | 'updateDataSource' | 'deleteDataSource'> = {
  createDataSource: {
    ...creates('data_source'),
    access: noAccess,
    proof: ({ id, alias }, client) =>
      exists(client.call('getDataSource', { params: { dataSource: id } }), (now) => now.alias === alias),
    outcome: (facts, { makes: key = '', body: { alias = null, name } }) =>
      facts.dataSources.set(key, { key, alias, name }),
    take: (kept, { answer }) => {
      putConnection(kept, answer);
    },
  },
  updateDataSource: {
    ...changes('data_source'),
    access: { ...noAccess, repoints: isRepointing },
    outcome: (facts, { params, body: { alias } }) => {
      const dataSource = facts.dataSources.get(idOf(params.dataSource));
      if (dataSource !== undefined && typeof alias === 'string')
        facts.dataSources.set(dataSource.key, { ...dataSource, alias });
    },
    take: (kept, { step, answer }) => {
      // A connection that was not sent comes back without its password, and stays what was read before.
      if (step.body.configUri === undefined) putListed(kept, answer);
      else putConnection(kept, answer);
      rename(kept, answer);
    },
  },
  deleteDataSource: {
    ...deletes('data_source', { permissions: 'dataSource' }),
    access: takesAccess('dataSource'),
    outcome: (facts, { params }) => facts.dataSources.delete(idOf(params.dataSource)),
    take: (kept, { step, resolve }) => {
      const dataSource = resolve(step.params.dataSource);
      kept.get('dataSources')?.remove(dataSource);
      kept.drop(`connection ${dataSource}`);
      for (const members of memberLists(kept, 'roleDataSources')) members.remove(dataSource);
    },
  },
};

/** Parts of a connection that decide which database people reach, and as whom. */
const leading = new Set(['type', 'user', 'host', 'port', 'database']);

function isRepointing({ changes = [] }: StepOf<'updateDataSource'>): boolean {
  return changes.some(({ field }) => leading.has(field));
}

function putConnection(kept: KeptReadings, detail: DataSourceDetail): void {
  putListed(kept, detail);
  const { connection, password } = splitConnection(detail);
  kept.set(`connection ${detail.id}`, connection);
  kept.setPassword(detail.id, password);
}

function putListed(kept: KeptReadings, detail: DataSourceDetail): void {
  kept.get('dataSources')?.put({ ...detail, configUri: redactConnectionUri(detail.configUri) });
  // Who reads it with its password reads it again.
  kept.drop(`dataSourceDetail ${detail.id}`);
}

/** Its name and alias stand in other readings too. */
function rename(kept: KeptReadings, { id, name, alias }: DataSourceDetail): void {
  for (const members of memberLists(kept, 'roleDataSources')) {
    const member = members.byId.get(id);
    if (member !== undefined) members.put({ ...member, name, alias });
  }
  const permissions = kept.get('permissions');
  for (const permission of permissions?.all.filter(({ dataSource }) => dataSource.id === id) ?? []) {
    permissions?.put({ ...permission, dataSource: { id, name, alias } });
  }
}
