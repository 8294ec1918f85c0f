import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPersonClient, OptionsError, ProblemError } from '@rolecall/api';
import { rejection } from './harness.ts';
import { json, problem, scriptedServer } from './scripted-server.ts';

const token = 'rolecall_session_4711';

describe("a client of the person's API", () => {
  it('sends its token, and calls by the routes of people', async () => {
    await using server = await scriptedServer(json({}));
    const client = createPersonClient({ url: `${server.url}/prefix`, token });
    await client.call('endMySession', { params: { session: 's1' } });
    await client.close();
    const { method, url, headers } = server.received[0]!;
    assert.equal(`${method} ${url}`, 'DELETE /prefix/person/v1/session/s1');
    assert.equal(headers.authorization, `Bearer ${token}`);
  });

  it('sends no credentials without a token', async () => {
    await using server = await scriptedServer(json([]));
    const client = createPersonClient({ url: server.url });
    await client.call('listMySessions', {});
    await client.close();
    assert.equal(server.received[0]!.headers.authorization, undefined);
  });

  it('shows its token in no message', async () => {
    await using server = await scriptedServer(problem('signed_out', {}, `the token ${token} is over`));
    const client = createPersonClient({ url: server.url, token });
    const error = await rejection(client.call('getMe', {}), ProblemError);
    await client.close();
    assert.doesNotMatch(error.message, /4711/);
  });

  it('takes no token that could not stand in a header', () => {
    assert.throws(() => createPersonClient({ url: 'https://rolecall.example.com', token: 'a b' }), OptionsError);
  });
});
