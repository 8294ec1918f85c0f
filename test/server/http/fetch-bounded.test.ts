import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { describe, it, mock } from 'node:test';
import { fetchBounded } from '../../../server/http/fetch-bounded.ts';
import { listenOn } from '../../support/relay.ts';

/** A process of its own: it mocks a time-out. */

/** A server that is closed after the test. @returns its address */
async function serve(listener: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(listener);
  const port = await listenOn(server);
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a request to another server', () => {
  it('gives status, headers and body, also of an answer without one', async () => {
    await using server = await serve((request, response) => {
      response.writeHead(request.method === 'POST' ? 400 : 204, { 'x-it': 'here' });
      request.pipe(response);
    });
    const answer = await fetchBounded(server.url, { method: 'POST', body: 'hello' });
    assert.deepEqual([answer.status, answer.headers.get('x-it'), await answer.text()], [400, 'here', 'hello']);
    const empty = await fetchBounded(server.url, {});
    assert.deepEqual([empty.status, await empty.text()], [204, '']);
  });

  it('reads 256 KiB, and not a byte more, whatever length the server claims', async () => {
    let sent = 0;
    let size = 0;
    await using server = await serve((_request, response) => {
      const piece = Buffer.alloc(16 * 1024, 'a');
      sent = 0;
      const write = (): void => {
        while (sent < size) {
          const next = piece.subarray(0, size - sent);
          sent += next.length;
          if (!response.write(next)) {
            response.once('drain', write);
            return;
          }
        }
        response.end();
      };
      write();
    });
    size = 256 * 1024;
    assert.equal((await (await fetchBounded(server.url, {})).text()).length, size);
    size += 1;
    await assert.rejects(fetchBounded(server.url, {}), /larger than 262144 bytes/);
    size = 1024 * 1024 * 1024;
    await assert.rejects(fetchBounded(server.url, {}), /larger than 262144 bytes/);
    assert.ok(sent < 64 * 1024 * 1024, `the server has sent ${sent} bytes`);
  });

  it('follows no redirect', async () => {
    let followed = 0;
    await using server = await serve((request, response) => {
      if (request.url === '/secret') followed += 1;
      response.writeHead(302, { location: '/secret' }).end();
    });
    await assert.rejects(fetchBounded(server.url, {}), TypeError);
    assert.equal(followed, 0);
  });

  it('ends after five seconds, also in the middle of an answer', async () => {
    const asked: number[] = [];
    // The real time-out, only sooner.
    const timeout = mock.method(AbortSignal, 'timeout', (ms: number) => {
      asked.push(ms);
      const controller = new AbortController();
      setTimeout(() => {
        controller.abort(new DOMException('too late', 'TimeoutError'));
      }, 50);
      return controller.signal;
    });
    try {
      await using silent = await serve(() => undefined);
      await assert.rejects(fetchBounded(silent.url, {}), { name: 'TimeoutError' });
      await using slow = await serve((_request, response) => {
        response.write('a');
      });
      await assert.rejects(fetchBounded(slow.url, {}), { name: 'TimeoutError' });
      assert.deepEqual(asked, [5000, 5000]);
    } finally {
      timeout.mock.restore();
    }
  });
});
