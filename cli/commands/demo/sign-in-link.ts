import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { LoopbackServer } from '../../person/loopback-server.ts';

/**
 * An address on this machine that gives the first browser which opens it a session, and leads it to the page. The service
 * has no such way in: only the demonstration, which made the session itself, can show this one. A browser keeps cookies by
 * host, not by port, so the page at another port of 127.0.0.1 gets it.
 */
export class SignInLink extends LoopbackServer {
  readonly url: string;
  readonly #path: Buffer;
  readonly #cookie: string;
  readonly #page: string;
  #isUsed = false;

  /** @param cookie as in a Set-Cookie header @param page the address of the service */
  static async open(cookie: string, page: string): Promise<SignInLink> {
    return new SignInLink(await LoopbackServer.listen(), cookie, page);
  }

  private constructor(server: Server, cookie: string, page: string) {
    super(server);
    const path = `/${randomBytes(32).toString('base64url')}`;
    this.#path = Buffer.from(path);
    this.#cookie = cookie;
    this.#page = page;
    this.url = `http://127.0.0.1:${this.port}${path}`;
  }

  protected override answer({ method, url, headers }: IncomingMessage, response: ServerResponse): void {
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
