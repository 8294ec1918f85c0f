import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Type, Value } from '@rolecall/provider/codec';
import { seedEditors } from '@rolecall/server';
import type { TestWorkspace } from '../../cli/support/workspace.ts';
import {
  bytesOf,
  dynamic,
  type Plugin,
  type PluginClient,
  readWire,
  startPlugin,
  type WireField,
} from '../support/plugin-client.ts';

const attributes: Record<string, Record<string, Type>> = {
  rolecall_reset_two_factor: { person_id: 'string' },
  rolecall_send_message: {
    title: 'string',
    message: 'string',
    editor_id: 'string',
    person_id: 'string',
    data_source_id: 'string',
  },
};

/** What Terraform 1.14 and newer ask for; field numbers are those of tfplugin6.proto. */
describe('an action', () => {
  let plugin: Plugin;
  let workspace: TestWorkspace;
  let client: PluginClient;
  let ada: string;
  let billing: string;

  before(async () => {
    plugin = await startPlugin();
    ({ workspace, client } = plugin);
    const call: typeof workspace.client.call = (...given) => workspace.client.call(...given);
    ada = (await call('createPerson', { body: { username: 'ada', name: 'Ada', email: 'ada@example.com' } })).id;
    await call('createPerson', { body: { username: 'grace', name: 'Grace', email: 'grace@example.com' } });
    const body = { name: 'Billing', alias: 'billing', configUri: 'sqlite:///tmp/billing.db' };
    billing = (await call('createDataSource', { body })).id;
    const entries = ['ada', 'grace'].map((person) => ({ person, dataSource: 'billing', tabs: [] }));
    await seedEditors({ dataDir: workspace.dataDir, environment: {}, entries });
  });
  beforeEach(() => {
    workspace.proxy.calls.splice(0);
  });
  after(() => plugin[Symbol.asyncDispose]());

  /** All three requests: the type = 1, config = 2. */
  const ask = (call: string, type: string, given: Record<string, Value>) => {
    const types = attributes[type] ?? {};
    const empty = Object.fromEntries(Object.keys(types).map((name) => [name, null]));
    return client.call(call, [
      [1, Buffer.from(type)],
      [2, dynamic(['object', types], { ...empty, ...given })],
    ]);
  };
  /** Diagnostic: detail = 3, or else summary = 2. */
  const said = (messages: readonly WireField[]) =>
    messages.map(([, each]) => bytesOf(readWire(each as Buffer), 3).toString());
  const refusals = async (call: string, type: string, given: Record<string, Value>) =>
    said((await ask(call, type, given))[0] ?? []);
  /** InvokeAction.Event: progress = 1 (message = 1), or completed = 2 (diagnostics = 1). */
  const invoke = async (type: string, given: Record<string, Value>) => {
    const events = await ask('InvokeAction', type, given);
    const [last] = events.slice(-1);
    assert.equal(last?.[0]?.[0], 2, 'the last event says that it is done');
    const progress = events.slice(0, -1).map((event) => bytesOf(readWire(bytesOf(event, 1)), 1).toString());
    return { progress, refused: said(readWire(bytesOf(last, 2))) };
  };
  const text = { title: 'Maintenance', message: 'Billing is read-only from 22:00 UTC.' };

  it('is in the schema', async () => {
    // GetProviderSchema.Response: action_schemas = 11, a map (key = 1).
    const [schema] = await client.call('GetProviderSchema', []);
    const named = schema!.filter(([number]) => number === 11).map(([, entry]) => bytesOf(readWire(entry as Buffer), 1));
    assert.deepEqual(named.map(String), Object.keys(attributes));
  });

  it('takes the second factor off a person, and says whose', async () => {
    const { progress, refused } = await invoke('rolecall_reset_two_factor', { person_id: ada });
    assert.deepEqual([progress, refused], [['The second factor of ada is off.'], []]);
    assert.ok(workspace.proxy.calls.includes(`DELETE /api/v2/person/${ada}/two-factor`));
  });

  it('is refused in the plan for a person who is not there, and does nothing there', async () => {
    assert.deepEqual(await refusals('PlanAction', 'rolecall_reset_two_factor', { person_id: ada }), []);
    assert.match(
      (await refusals('PlanAction', 'rolecall_reset_two_factor', { person_id: 'ada' }))[0] ?? '',
      /^The workspace has no person with the id "ada"/,
    );
    assert.ok(workspace.proxy.calls.every((call) => call.startsWith('GET ')));
    const { progress, refused } = await invoke('rolecall_reset_two_factor', { person_id: 'ada' });
    assert.deepEqual([progress, refused.length], [[], 1]);
  });

  it('shows a message in each editor on a data source, in those of a person, or in one', async () => {
    const editors = await workspace.client.call('listEditors', {});
    const titles = async () => {
      const lists = editors.map(({ id }) => workspace.client.call('listEditorMessages', { params: { editor: id } }));
      return (await Promise.all(lists)).map((messages) => messages.map(({ title }) => title));
    };
    const shown = async (given: Record<string, Value>) =>
      (await invoke('rolecall_send_message', { ...text, ...given })).progress;
    assert.deepEqual(await shown({ data_source_id: billing }), ['2 editors show the message.']);
    assert.deepEqual(await titles(), [['Maintenance'], ['Maintenance']]);
    assert.deepEqual(await shown({ person_id: ada, title: 'Ada' }), ['1 editor shows the message.']);
    assert.deepEqual(await shown({ editor_id: editors[0]?.id ?? '' }), ['1 editor shows the message.']);
    assert.deepEqual((await titles()).flat().sort(), ['Ada', 'Maintenance', 'Maintenance', 'Maintenance']);
    const { refused } = await invoke('rolecall_send_message', { ...text, editor_id: billing });
    assert.equal(refused.length, 1, 'an editor that is named has to be there');
  });

  it('is refused before the plan where it does not say in which editors, or says nothing', async () => {
    const validate = (given: Record<string, Value>) =>
      refusals('ValidateActionConfig', 'rolecall_send_message', { ...text, ...given });
    const which = 'Give exactly one of editor_id, person_id, data_source_id;';
    assert.deepEqual(await validate({}), [`${which} none is given.`]);
    assert.deepEqual(await validate({ person_id: ada, editor_id: 'e' }), [
      `${which} editor_id and person_id are given.`,
    ]);
    assert.equal((await validate({ person_id: ada, title: '' })).length, 1);
    assert.equal((await validate({ person_id: ada, message: 'a'.repeat(10_001) })).length, 1);
    assert.deepEqual(await validate({ person_id: ada }), []);
  });

  it('of another version is refused by its name', async () => {
    const [refused] = await refusals('PlanAction', 'rolecall_dance', {});
    assert.match(refused ?? '', /^This version of the provider has no rolecall_dance/);
  });
});
