import type { IncomingMessage, ServerResponse } from 'node:http';
import { LoopbackServer } from './loopback-server.ts';

/** Page that the person sees in the browser when the command has its answer. */
const page = 'You are signed in at the command line. You can close this page.\n';

/** Waits on 127.0.0.1 for the browser that the service sends back, with what proves that it is on this machine. */
export class Loopback extends LoopbackServer {
  readonly #confirmations: string[] = [];
  #wake: () => void = () => undefined;

  static async open(): Promise<Loopback> {
    return new Loopback(await LoopbackServer.listen());
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

  protected override answer({ method, url, headers }: IncomingMessage, response: ServerResponse): void {
    const address = `127.0.0.1:${String(this.port)}`;
    const confirmation = /^\/\?confirmation=([A-Za-z0-9_-]{1,100})$/.exec(url ?? '')?.[1];
    response.setHeader('content-type', 'text/plain; charset=utf-8');
    response.setHeader('connection', 'close');
    if (method !== 'GET' || headers.host !== address || confirmation === undefined || this.#confirmations.length > 8) {
      response.writeHead(404).end('There is nothing here.\n');
      return;
    }
    response.writeHead(200).end(page, () => {
      this.#confirmations.push(confirmation);
      this.#wake();
    });
  }
}
