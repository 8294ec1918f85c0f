import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher, Pool } from 'undici';
import type { Settings } from './options.ts';
import type { Outgoing } from './outgoing.ts';

/** What an exchange came to: an answer, or why there is none and whether the request may have got out. */
export type Exchanged =
  | { readonly ok: true; readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }
  | {
      readonly ok: false;
      readonly sent: boolean;
      /** Known when the failure came after the headers. */
      readonly status: number | undefined;
      readonly aborted: boolean;
      readonly cause: unknown;
    };

export interface Transport {
  /** Never rejects because of the network or the signal. */
  exchange(outgoing: Outgoing, signal: AbortSignal | undefined): Promise<Exchanged>;
  /** Waits for the exchanges under way, then closes the connections. */
  close(): Promise<void>;
}

/** Opens a bounded pool of kept-alive connections. Nothing is connected before the first exchange. */
export function openTransport(settings: Settings): Transport {
  let pool: Promise<Pool> | undefined;
  let closed = false;
  return {
    exchange: async (outgoing, signal) => {
      if (closed) return { ok: false, sent: false, status: undefined, aborted: false, cause: closedCause() };
      pool ??= openPool(settings);
      return exchangeOver(await pool, outgoing, signal, settings.timeouts.answerMs);
    },
    close: async () => {
      if (closed) return;
      closed = true;
      await (await pool)?.close();
    },
  };
}

/** undici is loaded with the first call: it costs a command that makes none some 70 ms. */
async function openPool({ base, ca, timeouts, connections, maxAnswerBytes }: Settings): Promise<Pool> {
  const { Pool } = await import('undici');
  return new Pool(base.origin, {
    connections,
    pipelining: 1,
    // Over HTTP/2 a request that was refused unprocessed looks like one that was cut off, and could not be repeated.
    allowH2: false,
    connectTimeout: timeouts.connectMs,
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.bodyMs,
    maxResponseSize: maxAnswerBytes,
    connect: ca === undefined ? {} : { ca },
  });
}

/**
 * Node's own client gives the first of several `Retry-After` or `Content-Type` headers, which a proxy may have added one to;
 * undici gives all.
 */
function single(received: Readonly<Record<string, string | string[] | undefined>>): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(received).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}

/** The code of what undici has no time-out for: all of the answer. */
export const answerTimeoutCode = 'ERR_ANSWER_TIMEOUT';

function closedCause(): Error {
  return Object.assign(new Error('the client is closed'), { code: 'UND_ERR_CLOSED' });
}

/** In milliseconds; Node takes a longer time for one millisecond. */
const longestTimer = 2 ** 31 - 1;

/**
 * undici's own `request` hides whether a request was still waiting for a connection when it failed; its handler
 * interface tells, which decides what may be repeated.
 */
function exchangeOver(
  pool: Pool,
  outgoing: Outgoing,
  signal: AbortSignal | undefined,
  answerMs: number,
): Promise<Exchanged> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let status: number | undefined;
    let headers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    let timer: NodeJS.Timeout | undefined;
    const settle = (exchanged: Exchanged): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(exchanged);
    };
    const fail = (cause: unknown, aborted: boolean): void => {
      settle({ ok: false, sent: controller !== undefined, status, aborted, cause });
    };
    const onAbort = (): void => {
      fail(signal?.reason, true);
      controller?.abort(new Error('aborted'));
    };
    const onTooLate = (): void => {
      fail(Object.assign(new Error('the answer has not ended'), { code: answerTimeoutCode }), false);
      controller?.abort(new Error('aborted'));
    };
    const handler: Dispatcher.DispatchHandler = {
      // Called right before the request is written.
      onRequestStart: (started) => {
        if (signal?.aborted === true) started.abort(new Error('aborted'));
        else {
          controller = started;
          timer = setTimeout(onTooLate, Math.min(answerMs, longestTimer));
        }
      },
      onResponseStart: (_, code, received) => {
        if (code < 200) return;
        status = code;
        headers = single(received);
      },
      onResponseData: (_, chunk) => {
        chunks.push(chunk);
      },
      onResponseEnd: () => {
        settle({ ok: true, status: status ?? 0, headers, body: Buffer.concat(chunks) });
      },
      onResponseError: (_, error) => {
        fail(error, false);
      },
    };
    if (signal?.aborted === true) {
      fail(signal.reason, true);
      return;
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    const { method, target, headers: sent, body } = outgoing;
    pool.dispatch({ method, path: target, headers: sent, body: body ?? null }, handler);
  });
}
