import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { listenOn } from './relay.ts';

/** A proxy that leads to one port, whichever host it is asked for, and notes what it was asked for. */
export async function startForwardProxy(target: number) {
  const asked: string[] = [];
  const server = createServer();
  server.on('request', ({ url = '' }, response) => {
    asked.push(url);
    response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
  });
  const tunnels: Duplex[] = [];
  server.on('connect', ({ url = '' }, socket) => {
    tunnels.push(socket);
    asked.push(`CONNECT ${url}`);
    const passed = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(passed).pipe(socket);
    });
    for (const end of [socket, passed]) end.on('error', () => end.destroy());
    socket.on('close', () => passed.destroy());
  });
  const port = await listenOn(server);
  return {
    asked,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      // A tunnel is no longer one of the server's connections, which it would wait for all the same.
      for (const tunnel of tunnels) tunnel.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
