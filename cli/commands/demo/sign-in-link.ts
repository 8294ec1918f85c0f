import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An address on this machine that gives the first browser which opens it a session, and leads it to the page. The service
 * has no such way in: only the demonstration, which made the session itself, can show this one. A browser keeps cookies by
 * host, not by port, so the page at another port of 127.0.0.1 gets it.
 */
export class SignInLink implements AsyncDisposable {
  readonly url: string;
  readonly #server: Server;
  readonly #path: Buffer;
  readonly #cookie: string;
  readonly #page: string;
  #isUsed = false;

  /** @param cookie as in a Set-Cookie header @param page the address of the service */
  static async open(cookie: string, page: string): Promise<SignInLink> {
    const server = createServer({ maxHeaderSize: 8192 });
    server.maxConnections = 16;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SignInLink(server, cookie, page);
  }

  private constructor(server: Server, cookie: string, page: string) {
    const path = `/${randomBytes(32).toString('base64url')}`;
    this.#path = Buffer.from(path);
    this.#server = server;
    this.#cookie = cookie;
    this.#page = page;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#answer(request, response);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #answer({ method, url, headers }: IncomingMessage, response: ServerResponse): void {
    const given = Buffer.from(url ?? '');
    const isRight = given.length === this.#path.length && timingSafeEqual(given, this.#path);
    response.setHeader('connection', 'close');
    response.setHeader('cache-control', 'no-store');
    response.setHeader('referrer-policy', 'no-referrer');
    if (method !== 'GET' || headers.host !== new URL(this.url).host || !isRight || this.#isUsed) {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' });
      response.end(this.#isUsed && isRight ? 'This address worked once, and was used.\n' : 'There is nothing here.\n');
      return;
    }
    this.#isUsed = true;
    response.writeHead(303, { 'set-cookie': this.#cookie, location: this.#page }).end();
  }
}
