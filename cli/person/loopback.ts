import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the person sees in the browser when the command has what it waited for. */
const page = 'You are signed in at the command line. You can close this page.\n';

/** Waits on 127.0.0.1 for the browser that the service sends back, with what proves that it is on this machine. */
export class Loopback implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #confirmations: string[] = [];
  #wake: () => void = () => undefined;

  static async open(): Promise<Loopback> {
    const server = createServer({ maxHeaderSize: 8192 });
    server.maxConnections = 16;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Loopback(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#answer(request, response);
    });
  }

  /** The next confirmation that a browser brings. Other pages could bring one too: only the service knows the right one. */
  async next(signal: AbortSignal): Promise<string> {
    while (this.#confirmations.length === 0) {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      this.#wake = () => {
        resolve(undefined);
      };
      signal.addEventListener('abort', this.#wake, { once: true });
      await promise;
      signal.throwIfAborted();
    }
    return this.#confirmations.shift() ?? '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #answer({ method, url, headers }: IncomingMessage, response: ServerResponse): void {
    const own = `127.0.0.1:${String(this.port)}`;
    const confirmation = /^\/\?confirmation=([A-Za-z0-9_-]{1,100})$/.exec(url ?? '')?.[1];
    response.setHeader('content-type', 'text/plain; charset=utf-8');
    response.setHeader('connection', 'close');
    if (method !== 'GET' || headers.host !== own || confirmation === undefined || this.#confirmations.length > 8) {
      response.writeHead(404).end('There is nothing here.\n');
      return;
    }
    response.writeHead(200).end(page, () => {
      this.#confirmations.push(confirmation);
      this.#wake();
    });
  }
}
