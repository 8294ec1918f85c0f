import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Stream, connect } from 'node:http2';
import { it } from 'node:test';
import { createGrpcServer } from '../../../provider/plugin/grpc/server.ts';
import { listenOn } from '../../support/relay.ts';

it('takes further calls while an answer of many rows waits for its reader', async () => {
  const large = Buffer.alloc(40 * 1024 * 1024, 'x');
  const { server } = createGrpcServer(
    () => () => () => Promise.resolve(large),
    undefined,
    () => undefined,
  );
  const port = await listenOn(server);
  const session = connect(`http://127.0.0.1:${port}`);
  try {
    const call = (path: string): ClientHttp2Stream =>
      session.request({ ':method': 'POST', ':path': path }).end(Buffer.alloc(5));
    const waiting = call('/first');
    await once(waiting, 'response');
    const sizes = [call('/second'), waiting].map(async (stream) => {
      let bytes = 0;
      for await (const chunk of stream) bytes += (chunk as Buffer).length;
      return bytes;
    });
    assert.deepEqual(await Promise.all(sizes), [large.length + 5, large.length + 5]);
  } finally {
    session.destroy();
    server.close();
  }
});
