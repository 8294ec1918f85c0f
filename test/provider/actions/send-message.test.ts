import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, createClient } from '@rolecall/api';
import { sendMessage } from '../../../provider/actions/send-message.ts';
import type { Diagnostic } from '../../../provider/plugin/framework/diagnostics.ts';
import { type Act, cut, json, problem, scriptedServer } from '../../api/client/scripted-server.ts';
import { openWorkspace } from '../support/workspace.ts';

const at = '2026-11-27T22:00:00.000Z';
const ids = ['e2Np6rCv8XfE', 'e3Np6rCv8XfE'] as const;
const editors = ids.map((id) => ({
  ...{ id, createdAt: at, updatedAt: at },
  dataSource: { id: 'd3Rf8nYb6UcB', name: 'Billing', alias: 'billing' },
  person: { id: 'p7Kd2mXq9WzA', name: 'Ada', username: 'ada', email: 'ada@example.com' },
}));
const shown = json({ id: 'm8Qs3tDw5YgF', editorId: ids[0], createdAt: at, title: 'Soon', message: 'Read-only.' });

/** What a message to all editors on a data source comes to, after the list of them was answered. */
async function send(...acts: [Act, ...Act[]]) {
  await using server = await scriptedServer(json(editors), ...acts);
  const retries = { attempts: 2, baseMs: 1, maxMs: 1 };
  const client: Client = createClient({ url: server.url, keyId: 'k', keySecret: 's', retries });
  const reported: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void reported.push(diagnostic);
  const context = {
    workspace: openWorkspace(client, server.url),
    report,
    stored: new Map(),
    refreshed: new Set<string>(),
  };
  const config = { title: 'Soon', message: 'Read-only.', data_source_id: 'd3Rf8nYb6UcB' };
  const done = await sendMessage.invoke(config, context).catch((error: unknown) => error);
  return { done, reported, posts: server.received.filter(({ method }) => method === 'POST') };
}

describe('a message to several editors', () => {
  it('is shown once in each, though an answer was lost', async () => {
    const { done, posts } = await send(cut, shown);
    assert.equal(done, '2 editors show the message.');
    const keys = posts.map(({ headers }) => headers['idempotency-key']);
    assert.equal(keys.length, 3);
    assert.equal(keys[0], keys[1]);
    assert.notEqual(keys[1], keys[2]);
  });

  it('passes over one that was closed meanwhile', async () => {
    const { done, reported } = await send(problem('not_found'), shown);
    assert.deepEqual([done, reported], ['1 editor shows the message.', []]);
  });

  it('that fails says where it is shown already', async () => {
    const { done, reported } = await send(shown, problem('insufficient_scope'));
    assert.match(String(done), /The API key may not do this/);
    assert.deepEqual(
      reported.map(({ severity, detail }) => [severity, detail]),
      [['warning', '1 editor shows the message already, and would show it twice if you invoked the action again.']],
    );
  });
});
