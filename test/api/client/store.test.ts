import assert from 'node:assert/strict';
import { it } from 'node:test';
import { harness } from './harness.ts';
import { scriptedServer } from './scripted-server.ts';

it('a client tells which store answered last, where the service names one in a few visible characters', async () => {
  const names = ['3b0c', undefined, 'x'.repeat(64), 'x'.repeat(65), 'two words', 'other'];
  const left = [...names];
  await using server = await scriptedServer((response) => {
    const name = left.shift();
    const headers = { 'content-type': 'application/json', ...(name === undefined ? {} : { 'rolecall-store': name }) };
    response.writeHead(200, headers).end('[]');
  });
  await using made = harness(server.url);
  const { client } = made;
  const told = [client.store()];
  for (const _name of names) {
    await client.call('listPeople', {});
    told.push(client.store());
  }
  assert.deepEqual(told, [undefined, '3b0c', undefined, 'x'.repeat(64), undefined, undefined, 'other']);
});
