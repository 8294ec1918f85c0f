import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, createClient } from '@rolecall/api';
import { json, problem, scriptedServer } from '../../api/client/scripted-server.ts';
import { openWorkspace } from '../support/workspace.ts';

const open = (url: string) => {
  const client: Client = createClient({ url, keyId: 'k', keySecret: 's', retries: { attempts: 1 } });
  return openWorkspace(client, url);
};

describe('the workspace of one command', () => {
  it('goes on after a reading that the key may not do, as others may be done', async () => {
    await using server = await scriptedServer(problem('insufficient_scope'), json([]));
    const workspace = open(server.url);
    await assert.rejects(workspace.view().dataSourceDetail('d3Rf8nYb6UcB'), /The API key may not do this/);
    assert.deepEqual((await workspace.view().people()).all, []);
  });

  it('asks no more once the key was refused', async () => {
    await using server = await scriptedServer(problem('unauthenticated'), json([]));
    const workspace = open(server.url);
    for (const collection of ['people', 'roles'] as const) {
      await assert.rejects(workspace.view()[collection](), /The workspace refuses the API key/);
    }
    assert.equal(server.received.length, 1);
  });
});
