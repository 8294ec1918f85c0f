import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on a free port of 127.0.0.1, for a browser on this machine. */
export abstract class LoopbackServer implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;

  protected static async listen(): Promise<Server> {
    const server = createServer({ maxHeaderSize: 8192 });
    server.maxConnections = 16;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  }

  /** @param server as `listen` gives it */
  protected constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.answer(request, response);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  protected abstract answer(request: IncomingMessage, response: ServerResponse): void;
}
