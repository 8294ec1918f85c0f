/** Time limit of a request, in milliseconds. */
const requestMs = 1000;

/**
 * Requests, on other connections, that a session stops its work. Whoever sends one sees whether the session stops, and repeats it or
 * closes the session's connection: so an error of a request says nothing.
 */
export class StopRequests {
  readonly #open = new Set<AbortController>();

  get areUnderWay(): boolean {
    return this.#open.size > 0;
  }

  /** Sends one, and waits until the server has acted on it or cannot be reached. @param request gets what closes its connection */
  async send(request: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const over = new AbortController();
    this.#open.add(over);
    await request(AbortSignal.any([over.signal, AbortSignal.timeout(requestMs)])).catch(() => undefined);
    this.#open.delete(over);
    over.abort(new Error('the request is over'));
  }

  /** Gives up those in progress. */
  readonly close = (): void => {
    for (const request of this.#open) request.abort(new Error('given up'));
  };
}
