import { setImmediate as nextTurn } from 'node:timers/promises';
import { refusal } from '../../../operator/runtime/answer.ts';
import { DisconnectedError } from '../../../operator/runtime/errors.ts';
import type { KubeRequest, KubeSession } from '../../../operator/runtime/session.ts';
import type { FaultProxy } from '../../support/kubernetes/fault-proxy.ts';
import type { SendEvent } from '../../support/kubernetes/watch-fault.ts';
import type { ProxiedRequest } from '../../support/request-fault.ts';
import type { MemoryApiserver, ServerAnswer } from './memory-apiserver.ts';

/** What a test does to requests, with a real API server and with one in memory. */
export type Faults = Pick<FaultProxy, 'fault' | 'requests' | 'inFlight' | 'cut'>;

type OnAnswer = (method: string, status: number | undefined, path: string) => void;

/** The way to an API server in memory, on which a test lets requests fail as it does with the proxy of a real one. */
export class MemoryConnection implements Faults {
  fault: FaultProxy['fault'] = () => undefined;
  readonly requests: ProxiedRequest[] = [];
  readonly #server: MemoryApiserver;
  readonly #exchanges = new Set<(error: Error) => void>();
  #requestsInFlight = 0;

  constructor(server: MemoryApiserver) {
    this.#server = server;
  }

  inFlight = (): number => this.#requestsInFlight;

  cut = (): void => {
    for (const fail of [...this.#exchanges]) fail(new DisconnectedError('lost the connection to the API server'));
  };

  session(onAnswer: OnAnswer = () => undefined): KubeSession {
    const session: KubeSession = {
      request: async (request) => {
        const answer = await this.#exchange(request, request.signal, () => this.#request(request)).catch(
          (error: unknown) => {
            onAnswer(request.method, undefined, request.path);
            throw error;
          },
        );
        onAnswer(request.method, answer.status, request.path);
        return contentOf(answer, request);
      },
      list: async (path, onItem, signal) => {
        const list = (await session.request({ method: 'GET', path, signal })) as { readonly items: readonly unknown[] };
        for (const item of list.items) onItem(item);
        return list;
      },
      watch: async (path, onEvent, signal) => {
        const request = { method: 'GET', path } as const;
        const watch = (end: (error: Error) => void, over: AbortSignal) => this.#watch(path, onEvent, end, over);
        await this.#exchange(request, signal, watch, true).catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
      },
      [Symbol.asyncDispose]: () => {
        this.cut();
        return Promise.resolve();
      },
    };
    return session;
  }

  /** Runs one request, which ends early when its signal is aborted or the connection is cut. */
  async #exchange<T>(
    { method, path }: ProxiedRequest,
    signal: AbortSignal | undefined,
    run: (fail: (error: Error) => void, over: AbortSignal) => Promise<T>,
    isLasting = false,
  ): Promise<T> {
    signal?.throwIfAborted();
    this.requests.push({ method, path });
    const { promise, reject } = Promise.withResolvers<never>();
    const over = new AbortController();
    const abort = (): void => {
      reject(new DisconnectedError('the request was cancelled'));
    };
    signal?.addEventListener('abort', abort, { once: true });
    this.#exchanges.add(reject);
    if (!isLasting) this.#requestsInFlight += 1;
    try {
      return await Promise.race([run(reject, over.signal), promise]);
    } finally {
      if (!isLasting) this.#requestsInFlight -= 1;
      over.abort();
      this.#exchanges.delete(reject);
      signal?.removeEventListener('abort', abort);
    }
  }

  async #request({ method, path, body }: KubeRequest): Promise<ServerAnswer> {
    const fault = this.fault({ method, path });
    await nextTurn();
    if (fault === 'no answer') return never();
    if (fault === 'cut') {
      this.cut();
      return never();
    }
    if (typeof fault === 'object' && 'answer' in fault) return faultAnswer(fault);
    if (typeof fault === 'object' && 'delayMs' in fault) await new Promise((go) => setTimeout(go, fault.delayMs));
    const answer = this.#server.handle({ method, path, body });
    if (fault === 'kept answer') return never();
    if (fault === 'lost answer') this.cut();
    await nextTurn();
    return answer;
  }

  async #watch(
    path: string,
    onEvent: (event: unknown) => void,
    end: (error: Error) => void,
    over: AbortSignal,
  ): Promise<void> {
    const fault = this.fault({ method: 'GET', path });
    await nextTurn();
    if (fault === 'cut') this.cut();
    if (fault === 'cut' || fault === 'no answer' || fault === 'silent watch') return never();
    if (typeof fault === 'object' && 'answer' in fault) {
      contentOf(faultAnswer(fault), { method: 'GET', path });
      return;
    }
    const tell: SendEvent = (event) => {
      if (over.aborted) return;
      try {
        onEvent(event);
      } catch (error) {
        end(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const script = typeof fault === 'object' && 'events' in fault ? fault.events : undefined;
    script?.opened?.(tell);
    const watching = this.#server.watch(path, (event) => {
      if (script === undefined) tell(event);
      else script.event(event, tell);
    });
    if ('status' in watching) {
      contentOf(watching, { method: 'GET', path });
      return;
    }
    over.addEventListener('abort', () => {
      watching[Symbol.dispose]();
      script?.closed?.(tell);
    });
    await never();
  }
}

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

function faultAnswer({ answer, body, headers }: { answer: number; body?: unknown; headers?: Record<string, string> }) {
  const given = body ?? { kind: 'Status', code: answer, message: 'a fault of the test' };
  const seconds = Number(headers?.['retry-after']);
  return { status: answer, body: given, ...(Number.isFinite(seconds) ? { retryAfterMs: seconds * 1000 } : {}) };
}

function contentOf(answer: ServerAnswer & { retryAfterMs?: number }, asked: ProxiedRequest): unknown {
  const { status, body, retryAfterMs } = answer;
  if (status < 300) return body;
  throw refusal({ status, retryAfterMs }, JSON.stringify(body), asked);
}
