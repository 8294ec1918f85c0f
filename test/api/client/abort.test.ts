import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { AbortedError, type CallReport, ClosedError, createClient, NetworkError } from '@rolecall/api';
import { harness, keySecret, rejection } from './harness.ts';
import { cut, json, problem, scriptedServer, silent } from './scripted-server.ts';

const body = { name: 'a' };

describe('an aborted call', () => {
  it('ends at once while it waits for an answer, with its outcome unknown', async () => {
    const abort = new AbortController();
    await using server = await scriptedServer(() => {
      abort.abort(new Error('enough'));
    });
    await using it = harness(server.url);
    const call = it.client.call('createRole', { body }, { signal: abort.signal });
    const error = await rejection(call, AbortedError);
    assert.equal(error.outcome, 'unknown');
    assert.equal(error.name, 'AbortError');
    assert.equal((error.cause as Error).message, 'enough');
  });

  it('ends at once during a pause, whichever signal is aborted', async () => {
    await using server = await scriptedServer(problem('unavailable', { 'retry-after': '30' }));
    for (const which of ['client', 'call'] as const) {
      const abort = new AbortController();
      const other = new AbortController();
      // The real sleep: that it is interrupted is what this is about.
      const reported = Promise.withResolvers<CallReport>();
      const client = createClient({
        url: server.url,
        keyId: 'k',
        keySecret,
        onCall: reported.resolve,
        signal: which === 'client' ? abort.signal : other.signal,
      });
      const call = client.call('createRole', { body }, { signal: which === 'call' ? abort.signal : other.signal });
      await reported.promise;
      setTimeout(() => {
        abort.abort();
      }, 20);
      const error = await rejection(call, AbortedError);
      assert.equal(error.outcome, 'not-sent');
      await client.close();
    }
  });

  it('is not sent at all when the signal is aborted before', async () => {
    await using server = await scriptedServer(json([]));
    await using it = harness(server.url);
    const error = await rejection(it.client.call('listPeople', {}, { signal: AbortSignal.abort() }), AbortedError);
    assert.equal(error.outcome, 'not-sent');
    assert.equal(server.received.length, 0);
  });

  it('ends at once while it waits for a connection, and is never sent', async () => {
    await using server = await scriptedServer(silent);
    await using it = harness(server.url, { connections: 1 });
    const first = new AbortController();
    const second = new AbortController();
    const busy = it.client.call('listPeople', {}, { signal: first.signal });
    const waiting = it.client.call('createRole', { body }, { signal: second.signal });
    setTimeout(() => {
      second.abort();
    }, 50);
    assert.equal((await rejection(waiting, AbortedError)).outcome, 'not-sent');
    first.abort();
    await rejection(busy, AbortedError);
    await it.client.close();
    assert.ok(server.received.every(({ url }) => url === '/api/v2/person'));
  });

  it('whose earlier attempt may have been done has an unknown outcome', async () => {
    await using server = await scriptedServer(cut);
    const abort = new AbortController();
    await using it = harness(server.url, {
      signal: abort.signal,
      sleep: () => {
        abort.abort();
        return Promise.reject(new Error('aborted'));
      },
    });
    const error = await rejection(it.client.call('lockPerson', { params: { person: 'p' } }), AbortedError);
    assert.equal(error.outcome, 'unknown');
  });

  it('leaves no listener on the signal behind', async () => {
    await using server = await scriptedServer(json([]));
    const abort = new AbortController();
    await using it = harness(server.url, { signal: abort.signal });
    await Promise.all(Array.from({ length: 50 }, () => it.client.call('listPeople', {})));
    assert.equal(getEventListeners(abort.signal, 'abort').length, 0);
  });
});

describe('a closed client', () => {
  it('lets the calls under way end, and refuses later ones', async () => {
    await using server = await scriptedServer((response) => {
      setTimeout(() => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
      }, 50);
    });
    await using it = harness(server.url);
    const call = it.client.call('listPeople', {});
    await new Promise((resolve) => setTimeout(resolve, 20));
    await it.client.close();
    assert.deepEqual(await call, []);
    const error = await rejection(it.client.call('listPeople', {}), ClosedError);
    assert.equal(error.outcome, 'not-sent');
    await it.client.close();
  });

  it('that never made a call closes too', async () => {
    await createClient({ url: 'http://127.0.0.1:1', keyId: 'k', keySecret }).close();
  });
});

describe('a connection', () => {
  it('that cannot be made says so, without the secret', async () => {
    await using it = harness('http://127.0.0.1:1', { retries: { attempts: 1 } });
    const error = await rejection(it.client.call('listPeople', {}), NetworkError);
    assert.match(error.message, /http:\/\/127\.0\.0\.1:1 .*refused\. Check the URL and that the service is running$/);
    assert.ok(error.cause instanceof Error);
  });

  it('to a name that does not exist is not tried again', async () => {
    await using it = harness('http://nowhere.invalid');
    const error = await rejection(it.client.call('listPeople', {}), NetworkError);
    assert.equal(error.outcome, 'not-sent');
    // A machine without a resolver says EAI_AGAIN, which may pass.
    if (error.reason === 'ENOTFOUND') assert.equal(it.calls.length, 1);
  });
});
