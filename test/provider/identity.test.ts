import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeValue, type Type, type Value } from '@rolecall/provider/codec';
import type { TestWorkspace } from '../cli/support/workspace.ts';
import {
  bytesOf,
  dynamic,
  type Plugin,
  type PluginClient,
  readWire,
  startPlugin,
  writeWire,
} from './support/plugin-client.ts';

const byId: Type = ['object', { id: 'string' }];
const membership: Type = ['object', { role_id: 'string', person_id: 'string' }];

/** What narrows a list. */
const listed: Record<string, Record<string, Type>> = {
  rolecall_data_source: { type: 'string' },
  rolecall_snippet: { owner_person_id: 'string', owner_role_id: 'string', public_access_level: 'string' },
};
const empty = (types: Record<string, Type>) => Object.fromEntries(Object.keys(types).map((name) => [name, null]));

/** What Terraform 1.12 and newer ask for; field numbers are those of tfplugin6.proto. */
describe('resource identity and list resources', () => {
  let plugin: Plugin;
  let workspace: TestWorkspace;
  let client: PluginClient;
  let ada: string;
  let role: string;

  before(async () => {
    plugin = await startPlugin();
    ({ workspace, client } = plugin);
    const made = ['ada', 'grace'].map((username) =>
      workspace.client.call('createPerson', { body: { username, name: username, email: `${username}@example.com` } }),
    );
    const [first, second] = await Promise.all(made);
    ada = first!.id;
    await workspace.client.call('lockPerson', { params: { person: second!.id } });
    role = (await workspace.client.call('createRole', { body: { name: 'analysts' } })).id;
    await workspace.client.call('addRolePerson', { params: { role, person: ada } });
    workspace.proxy.calls.splice(0);
  });
  after(() => plugin[Symbol.asyncDispose]());

  /** ListResource.Request: type_name = 1, config = 2, include_resource_object = 3, limit = 4. */
  const list = async (
    type: string,
    filters: Record<string, Value>,
    types: Record<string, Type>,
    whole = 0,
    limit = 0,
  ) => {
    const config = dynamic(['object', types], filters);
    return client.call('ListResource', [
      [1, Buffer.from(type)],
      [2, config],
      [3, whole],
      [4, limit],
    ]);
  };
  /** ResourceIdentityData: identity_data = 1, a DynamicValue. */
  const identityIn = (type: Type, data: Buffer) => decodeValue(type, bytesOf(readWire(bytesOf(readWire(data), 1)), 1));

  it('has an identity for every resource, and an import needs every part of it', async () => {
    // GetResourceIdentitySchemas.Response: identity_schemas = 1, a map (key = 1, value = 2).
    const [answer] = await client.call('GetResourceIdentitySchemas', []);
    const schemas = new Map(
      answer!.map(([, entry]) => {
        const fields = readWire(entry as Buffer);
        // ResourceIdentitySchema: identity_attributes = 2; IdentityAttribute: name = 1, required_for_import = 3.
        const attributes = readWire(bytesOf(fields, 2))
          .filter(([number]) => number === 2)
          .map(([, attribute]) => readWire(attribute as Buffer));
        for (const attribute of attributes) assert.ok(attribute.some(([number, value]) => number === 3 && value === 1));
        return [bytesOf(fields, 1).toString(), attributes.map((each) => bytesOf(each, 1).toString())];
      }),
    );
    assert.equal(schemas.size, 9);
    assert.deepEqual(schemas.get('rolecall_person'), ['id']);
    assert.deepEqual(schemas.get('rolecall_role_person'), ['role_id', 'person_id']);
  });

  it('lists what there is, narrowed and limited, for a list a collection', async () => {
    const all = await list('rolecall_person', { locked: null }, { locked: 'bool' });
    // ListResource.Event: identity = 1, display_name = 2, resource_object = 3, diagnostic = 4.
    assert.deepEqual(all.map((event) => bytesOf(event, 2).toString()).sort(), ['ada', 'grace']);
    const open = await list('rolecall_person', { locked: false }, { locked: 'bool' });
    assert.deepEqual(identityIn(byId, bytesOf(open[0]!, 1)), { id: ada });
    assert.equal(open.length, 1);
    assert.equal((await list('rolecall_person', { locked: null }, { locked: 'bool' }, 0, 1)).length, 1);
    const filters: Record<string, Type> = { role_id: 'string', person_id: 'string' };
    const members = await list('rolecall_role_person', { role_id: role, person_id: null }, filters);
    assert.deepEqual(identityIn(membership, bytesOf(members[0]!, 1)), { role_id: role, person_id: ada });
    assert.deepEqual(workspace.proxy.calls.splice(0), [
      'GET /api/v2/person',
      'GET /api/v2/role',
      `GET /api/v2/role/${role}/person`,
    ]);
  });

  it('gives whole objects where it is asked for them', async () => {
    const [event] = await list('rolecall_role', {}, {}, 1);
    const type: Type = [
      'object',
      { id: 'string', name: 'string', protected: 'bool', adopt: 'bool', created_at: 'string' },
    ];
    const found = decodeValue(type, bytesOf(readWire(bytesOf(event!, 3)), 1)) as Record<string, Value>;
    assert.deepEqual([found['id'], found['name']], [role, 'analysts']);
  });

  it('imports by identity', async () => {
    const identity = writeWire([[1, dynamic(membership, { role_id: role, person_id: ada })]]);
    // ImportResourceState.Request: type_name = 1, id = 2, identity = 4; Response: imported_resources = 1.
    const [answer] = await client.call('ImportResourceState', [
      [1, Buffer.from('rolecall_role_person')],
      [4, identity],
    ]);
    // ImportedResource: type_name = 1, state = 2, private = 3, identity = 4.
    const imported = readWire(bytesOf(answer!, 1));
    assert.deepEqual(identityIn(membership, bytesOf(imported, 4)), { role_id: role, person_id: ada });
  });

  it('gives the identity back of an earlier state, and refuses one that it cannot read', async () => {
    // UpgradeResourceIdentity.Request: type_name = 1, version = 2, raw_identity = 3 (RawState: json = 1).
    const upgrade = async (json: string, version = 0) => {
      const raw = writeWire([[1, Buffer.from(json)]]);
      const [answer] = await client.call('UpgradeResourceIdentity', [
        [1, Buffer.from('rolecall_person')],
        [2, version],
        [3, raw],
      ]);
      return answer!;
    };
    const kept = bytesOf(readWire(bytesOf(readWire(bytesOf(await upgrade('{"id":"a"}'), 1)), 1)), 2);
    assert.equal(kept.toString(), '{"id":"a"}');
    for (const answer of [await upgrade('{"name":"a"}'), await upgrade('{"id":"a"}', 1)]) {
      // Diagnostic: severity = 1 (ERROR = 1), summary = 2.
      const diagnostic = readWire(bytesOf(answer, 2));
      assert.match(bytesOf(diagnostic, 2).toString(), /identity of rolecall_person cannot be read/);
    }
  });

  it('refuses a filter that nothing can have', async () => {
    // ValidateListResourceConfig.Request: type_name = 1, config = 2; Response: diagnostics = 1.
    const validate = async (type: string, name: string, value: string) => {
      const [answer] = await client.call('ValidateListResourceConfig', [
        [1, Buffer.from(type)],
        [2, dynamic(['object', listed[type] ?? {}], { ...empty(listed[type] ?? {}), [name]: value })],
      ]);
      return answer!.map(([, diagnostic]) => bytesOf(readWire(diagnostic as Buffer), 3).toString());
    };
    assert.deepEqual(await validate('rolecall_data_source', 'type', 'oracle'), [
      'type must be one of postgresql, mysql, mariadb, sqlite. Write one of these.',
    ]);
    assert.deepEqual(await validate('rolecall_data_source', 'type', 'mysql'), []);
    assert.match((await validate('rolecall_snippet', 'public_access_level', 'all')).join(), /must be one of none,/);
  });

  it('says which type it does not know', async () => {
    const [event] = await list('rolecall_nothing', {}, {});
    assert.match(bytesOf(readWire(bytesOf(event!, 4)), 2).toString(), /Unknown type rolecall_nothing/);
  });
});
