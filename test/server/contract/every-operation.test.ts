import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type OperationId, operationIds, routeTable } from '@rolecall/api';
import { storeGatewaySessions } from '../support/gateway-session.ts';
import { makers } from '../support/make.ts';
import { signedIn } from '../support/person.ts';
import { emptySqlite, queryHelpers } from '../support/queries.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';

/**
 * Every operation once, and the fields of its answer as the specification's tables name them, written down here by hand:
 * the schemas of the route table are not asked. `[fields]` stands for a list of such objects; a name with a dot for a
 * field of a nested object.
 */
type Shape = string | [string];

const source = 'id name alias type configUri createdAt updatedAt';
const person = 'id name username email createdAt isLocked';
const role = 'id name createdAt updatedAt';
const assignment = 'id name assignedAt';
const editorParties =
  'dataSource.id dataSource.name dataSource.alias person.id person.name person.username person.email';
const editor = `id ${editorParties} createdAt updatedAt`;
const flat = 'id personId dataSourceId startsAt expiresAt';
const permissionParties =
  'person.id person.name person.username person.email dataSource.id dataSource.name dataSource.alias';
const version = 'activeVersion.id activeVersion.name activeVersion.description activeVersion.text';
const ownerPerson = 'ownerPerson.id ownerPerson.username ownerPerson.email ownerPerson.name ownerRole';
const snippet = `id ${version} isLocked publicAccessLevel ${ownerPerson} createdAt updatedAt`;
const snippetVersion =
  'id snippetId name description text createdAt createdBy.id createdBy.username createdBy.email createdBy.name';
const lease = 'id holder takenAt expiresAt';
const message = 'id editorId createdAt title message';

/** A token has to be signed by an issuer that is trusted: test/server/tokens has that. */
const shapes: Record<Exclude<OperationId, 'exchangeToken'>, Shape> = {
  createDataSource: source,
  updateDataSource: source,
  deleteDataSource: '',
  deleteDataSourcePermissions: 'count',
  listDataSources: [source],
  getDataSource: source,
  getDataSourceDetail: source,
  testDataSource: 'success version.productName version.productVersion version.major version.minor version.patch',
  executeCommands: 'queryId',
  listDataSourceEditors: [editor],
  listDataSourcePermissions: [flat],
  listDataSourceRoles: [assignment],
  createPerson: person,
  updatePerson: person,
  deletePerson: '',
  deletePersonPermissions: 'count',
  disableTwoFactor: '',
  invitePerson: 'person.id person.name person.username person.email link sentTo expiresAt',
  listInvitations: ['person.id person.name person.username person.email canSignIn invitedAt expiresAt'],
  listPeople: [person],
  getPerson: person,
  listPersonDataSources: ['id name alias'],
  listPersonEditors: [editor],
  listPersonPermissions: ['id personId dataSourceId expiresAt'],
  listPersonRoles: [assignment],
  lockPerson: '',
  unlockPerson: '',
  createRole: role,
  listRoles: [role],
  getRole: role,
  updateRole: role,
  deleteRole: '',
  addRoleDataSource: '',
  removeRoleDataSource: '',
  listRoleDataSources: ['id name alias assignedAt'],
  addRolePerson: '',
  setRolePersonWindows: '',
  removeRolePerson: '',
  listRolePeople: ['id username email name assignedAt'],
  listSessions: [
    'id kind factors createdAt lastUsedAt expiresAt address client person.id person.name person.username person.email',
  ],
  endSession: '',
  listGatewaySessions: 'isComplete sessions',
  endGatewaySession: '',
  readLease: 'lease.holder lease.takenAt lease.expiresAt',
  takeLease: lease,
  renewLease: lease,
  releaseLease: '',
  listManaged: ['kind id manager at'],
  recordDeclarations: 'declared forgotten',
  readSnapshot: 'dataSources people roles rolePeople roleWindows roleDataSources permissions',
  compareSnapshot: 'dataSources people roles rolePeople roleWindows roleDataSources permissions',
  createPermission: 'id startsAt expiresAt createdAt',
  updatePermission: `id createdAt startsAt expiresAt ${permissionParties}`,
  deletePermission: '',
  deletePairPermissions: 'count',
  listPermissions: [`id createdAt startsAt expiresAt ${permissionParties}`],
  listPairPermissions: [flat],
  getPermission: `id createdAt expiresAt ${permissionParties}`,
  createSnippet: snippet,
  listSnippets: [snippet.replace('activeVersion.text', 'activeVersion.text activeVersion.dataSource')],
  getSnippet: snippet,
  deleteSnippet: '',
  lockSnippet: '',
  unlockSnippet: '',
  updateSnippet: '',
  createSnippetVersion: snippetVersion,
  listSnippetVersions: [`${snippetVersion} dataSource`],
  getSnippetVersion: snippetVersion,
  activateSnippetVersion: '',
  listEditors: [editor],
  getEditor: editor,
  getEditorDetail: `${editor} tabs`,
  listEditorMessages: [message],
  createEditorMessage: message,
  deleteEditorMessage: '',
  getQuery: 'id createdAt startedAt completedAt success numResults',
  cancelQuery: '',
  deleteQuery: '',
  getQueryResult: 'queryId ordinalPosition type startedAt completedAt detail.columns detail.hasMore detail.numRows',
  listQueryRows: ['0'],
  listAuditEntries: ['seq at actor.type actor.id operation requestId changes hash'],
};

const service = await startTestService();
const make = makers(service);
const queries = queryHelpers(service);
const configUri = await emptySqlite(await temporaryFolder());

it('every operation answers with exactly the fields of the specification', async () => {
  assert.equal(operationIds.length, 82);
  const known = operationIds.filter((id) => id !== 'exchangeToken');
  const [reads = [], writes = []] = [true, false].map((isRead) =>
    known.filter((id) => (routeTable[id].method === 'GET') === isRead),
  );
  const ids = await populate(true);
  for (const id of reads) await checkOperation(id, ids);
  for (const id of writes) await checkOperation(id, await populate(routeTable[id].path.includes(':query')));
});

async function checkOperation(id: keyof typeof shapes, ids: Record<string, string>): Promise<void> {
  const { method, path, body } = routeTable[id];
  const filled = path.replace(/:([A-Za-z]+)/g, (_colon, name: string) => ids[name] ?? name);
  if (id === 'deletePerson') await service.ok('PUT', `/person/${String(ids['person'])}/lock`);
  if (id === 'takeLease') await service.ok('DELETE', `/lease/${String(ids['lease'])}`);
  const sent = body === undefined ? {} : { [body.encoding]: fieldsFor(id, ids) };
  const headers: Record<string, string> = id === 'recordDeclarations' ? { 'rolecall-manager': 'rolecall/acme' } : {};
  const answer = await service.call(method, filled, { ...sent, headers });
  const shape = shapes[id];
  assert.equal(answer.status, 200, `${id}: ${answer.text}`);
  if (id === 'takeLease') leaseId = (answer.body as { id: string }).id;
  const shown = Array.isArray(shape) ? (answer.body as unknown[]).at(-1) : answer.body;
  if (Array.isArray(shape)) assert.ok(Array.isArray(answer.body) && answer.body.length > 0, id);
  const fields = (typeof shape === 'string' ? shape : shape[0]).split(' ').filter((field) => field !== '');
  assert.deepEqual(fieldsOf(shown).sort(), fields.sort(), id);
}

let leaseId = '';

/** There is one lease: the last one is released. */
async function takeLease(): Promise<string> {
  if (leaseId !== '') await service.call('DELETE', `/lease/${leaseId}`);
  const json = { holder: 'a test', seconds: 60 };
  leaseId = (await service.ok<{ id: string }>('POST', '/lease', { json })).id;
  return leaseId;
}

/** Makes everything that the path of an operation can name and a list can show. */
async function populate(withQuery: boolean): Promise<Record<string, string>> {
  const [someone, database, group] = [await make.person(), await make.dataSource({ configUri }), await make.role()];
  await service.ok('PUT', `/role/${group.id}/person/${someone.id}`);
  await service.ok('PUT', `/role/${group.id}/data-source/${database.id}`);
  const permission = await make.permission(database.id, someone.id);
  const owned = { owner: 'person', ownerPersonId: someone.id, createdByPersonId: someone.id };
  const { id: snippetId, activeVersion } = await make.snippet(owned);
  const workspace = await make.editor(someone, database);
  const json = { title: 'Hello', message: 'Good bye' };
  const shown = await service.ok<{ id: string }>('POST', `/editor/${workspace.id}/message`, { json });
  // Each runs in a process of its own, which takes longer than all the rest.
  const query = withQuery ? (await queries.run(database.id, 'select 1')).query.id : '';
  await service.call('PUT', `/role/${group.id}/person/${(await make.person()).id}`, {
    headers: { 'rolecall-manager': 'rolecall/acme' },
  });
  return {
    person: someone.id,
    dataSource: database.id,
    role: group.id,
    permission: permission.id,
    snippet: snippetId,
    snippetVersion: activeVersion.id,
    editor: workspace.id,
    messageId: shown.id,
    query,
    resultIndex: '0',
    lease: await takeLease(),
    session: (await signedIn(service, someone.id)).session,
    gatewaySession: (await storeGatewaySessions(service, { person: someone.id, dataSource: database.id }))[0],
  };
}

/** The fields of a body as the specification's request column names them. */
function fieldsFor(id: OperationId, ids: Record<string, string>): unknown {
  const unique = `${id}-${String(ids['person'])}`;
  const uri = 'sqlite:///nowhere/at/all.db';
  const text = { name: 'Name', description: 'Description', text: 'select 1' };
  const by = { createdByPersonId: ids['person'] };
  const owner = { publicAccessLevel: 'manage', owner: 'person', ownerPersonId: ids['person'] };
  const bodies: Partial<Record<OperationId, Record<string, unknown>>> = {
    createDataSource: { name: 'Name', alias: unique, configUri: uri },
    updateDataSource: { name: 'Name', alias: unique, configUri: uri },
    executeCommands: { commands: ['select 1'] },
    createPerson: { name: 'Name', email: `${unique}@example.com`, username: unique },
    updatePerson: { name: 'Name', email: `${unique}@example.com`, username: unique },
    createRole: { name: unique },
    updateRole: { name: unique },
    createPermission: { duration: '60', startsAt: '2026-12-01T09:00:00.000Z' },
    updatePermission: { startsAt: '2026-12-01T09:00:00.000Z', expiresAt: '2026-12-01T10:00:00.000Z' },
    createSnippet: { ...text, ...by, ...owner, isLocked: 'false', ownerRoleId: '' },
    updateSnippet: owner,
    createSnippetVersion: { ...text, ...by },
    compareSnapshot: { key: 'A'.repeat(43), passwords: {} },
    recordDeclarations: { origin: 'acme' },
    takeLease: { holder: 'a test', seconds: 60 },
    renewLease: { seconds: 60 },
    setRolePersonWindows: { windows: [{ startsAt: '2026-12-01T09:00:00.000Z' }] },
    createEditorMessage: { title: 'Title', message: 'Message' },
  };
  return bodies[id];
}

/** The names of an object's fields, those of nested objects with a dot. */
function fieldsOf(value: unknown): string[] {
  return Object.entries(value as Record<string, unknown>).flatMap(([name, field]) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.keys(field).map((inner) => `${name}.${inner}`)
      : [name],
  );
}
