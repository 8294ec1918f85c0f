import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { AnswerInRoom, Settings } from './options.ts';
import type { Outgoing } from './outgoing.ts';

/** The result of an exchange: an answer, or why there is none and whether the request may have been sent. */
export type Exchanged =
  | { readonly ok: true; readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }
  | {
      readonly ok: false;
      readonly sent: boolean;
      /** Known if the exchange failed after the headers. */
      readonly status: number | undefined;
      readonly aborted: boolean;
      readonly cause: unknown;
    };

export interface Transport {
  /** Resolves even if the network fails or the signal aborts. */
  exchange(outgoing: Outgoing, signal: AbortSignal | undefined): Promise<Exchanged>;
  /** Waits for the exchanges under way, then closes the connections. */
  close(): Promise<void>;
}

/** Creates a bounded pool of keep-alive connections. It connects with the first exchange. */
export function openTransport(settings: Settings): Transport {
  let pool: Promise<Dispatcher> | undefined;
  let closed = false;
  return {
    exchange: async (outgoing, signal) => {
      if (closed) return { ok: false, sent: false, status: undefined, aborted: false, cause: closedCause() };
      pool ??= openPool(settings);
      return exchangeOver(await pool, settings, outgoing, signal);
    },
    close: async () => {
      if (closed) return;
      closed = true;
      await (await pool)?.close();
    },
  };
}

/**
 * Loads the library of the connections ahead of the first call, for a process that waits for something else meanwhile. Otherwise it is loaded
 * with the first call: a command without calls should not wait for it.
 */
export const loadConnections = () => import('undici');

async function openPool({
  base,
  ca,
  timeouts,
  connections,
  maxAnswerBytes,
  proxy,
  lookup,
}: Settings): Promise<Dispatcher> {
  const { EnvHttpProxyAgent, Pool } = await loadConnections();
  const tls = { ...(ca === undefined ? {} : { ca }), ...(lookup === undefined ? {} : { lookup }) };
  const bounds = {
    connections,
    pipelining: 1,
    // Over HTTP/2 a request that was refused unprocessed looks like one that was cut off, and could not be retried.
    allowH2: false,
    connectTimeout: timeouts.connectMs,
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.bodyMs,
    maxResponseSize: maxAnswerBytes,
  };
  if (proxy === undefined) return new Pool(base.origin, { ...bounds, connect: tls });
  const { url: httpProxy, except: noProxy } = proxy;
  return new EnvHttpProxyAgent({
    ...bounds,
    httpProxy,
    httpsProxy: httpProxy,
    noProxy,
    connect: tls,
    requestTls: tls,
    // Without it, plain HTTP through a proxy would have one connection, and none of the bounds.
    factory: (origin, more) => new Pool(origin, Object.assign({}, more, bounds)),
  });
}

/**
 * A proxy may add a second `Retry-After` or `Content-Type`. Like Node's own client, this returns the first one; undici
 * returns them all.
 */
function single(received: Readonly<Record<string, string | string[] | undefined>>): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(received).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}

/** undici's code for an answer that is larger than it may be. */
export const tooLargeCode = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';

/** True if the caller may keep the answer: a snapshot is a read although it may be asked for by POST. */
const isRead = ({ method, path }: Outgoing): boolean => method === 'GET' || path.endsWith('/snapshot');

/** The code of a timeout that undici does not have: for the whole answer. */
export const answerTimeoutCode = 'ERR_ANSWER_TIMEOUT';

function closedCause(): Error {
  return Object.assign(new Error('the client is closed'), { code: 'UND_ERR_CLOSED' });
}

/** In milliseconds; Node treats a longer delay as one millisecond. */
const longestTimer = 2 ** 31 - 1;

function exchangeOver(
  pool: Dispatcher,
  { base: { origin }, timeouts: { answerMs }, room }: Settings,
  outgoing: Outgoing,
  signal: AbortSignal | undefined,
): Promise<Exchanged> {
  const { method, target, headers, body } = outgoing;
  const exchange = new Exchange(answerMs, room?.begin(target, isRead(outgoing)), signal);
  if (signal?.aborted !== true) pool.dispatch({ origin, method, path: target, headers, body: body ?? null }, exchange);
  return exchange.result;
}

/**
 * undici's `request` hides whether a failed request was still waiting for a connection. Its handler interface tells, which
 * decides whether a retry is safe.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #settled = Promise.withResolvers<Exchanged>();
  readonly #answerMs: number;
  readonly #inRoom: AnswerInRoom | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #chunks: Buffer[] = [];
  /** Known once the request is being written. */
  #controller: Dispatcher.DispatchController | undefined;
  #status: number | undefined;
  #headers: IncomingHttpHeaders = {};
  #timer: NodeJS.Timeout | undefined;

  constructor(answerMs: number, inRoom: AnswerInRoom | undefined, signal: AbortSignal | undefined) {
    this.#answerMs = Math.min(answerMs, longestTimer);
    this.#inRoom = inRoom;
    this.#signal = signal;
    if (signal?.aborted === true) this.#onAbort();
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get result(): Promise<Exchanged> {
    return this.#settled.promise;
  }

  /** Called right before the request is written. */
  onRequestStart(started: Dispatcher.DispatchController): void {
    if (this.#signal?.aborted === true) {
      started.abort(new Error('aborted'));
      return;
    }
    this.#controller = started;
    this.#timer = setTimeout(() => {
      this.#giveUp('the answer has not ended', answerTimeoutCode);
    }, this.#answerMs);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    code: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (code < 200) return;
    this.#status = code;
    this.#headers = single(headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#inRoom?.take(chunk) === false) this.#giveUp('there is no room for the answer', tooLargeCode);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#settle({ ok: true, status: this.#status ?? 0, headers: this.#headers, body: Buffer.concat(this.#chunks) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error, false);
  }

  readonly #onAbort = (): void => {
    this.#fail(this.#signal?.reason, true);
    this.#controller?.abort(new Error('aborted'));
  };

  #giveUp(message: string, code: string): void {
    this.#fail(Object.assign(new Error(message), { code }), false);
    this.#controller?.abort(new Error('aborted'));
  }

  #fail(cause: unknown, aborted: boolean): void {
    this.#settle({ ok: false, sent: this.#controller !== undefined, status: this.#status, aborted, cause });
  }

  #settle(exchanged: Exchanged): void {
    clearTimeout(this.#timer);
    this.#inRoom?.end(exchanged.ok && exchanged.status === 200);
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#settled.resolve(exchanged);
  }
}
