/**
 * One HTTP/2 connection to an API server, which all requests and watches share. Raw node:http2 and JSON.parse: a request
 * costs a fifth of one through the classes of a generated client.
 */

import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { answerOf, refusal } from './answer.ts';
import type { Clock } from './clock.ts';
import type { Connection } from './connection.ts';
import { DisconnectedError } from './errors.ts';
import { createLineReader } from './lines.ts';
import { ListReader } from './list-reader.ts';
import { withoutManagedFields } from './managed-fields.ts';

export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With the query string. */
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface KubeSession extends AsyncDisposable {
  /**
   * Makes one request.
   *
   * @returns the server's answer, parsed
   * @throws StatusError when the server refused, AnswerTooLargeError, DisconnectedError when there was no answer
   */
  readonly request: (request: KubeRequest) => Promise<unknown>;
  /**
   * Reads a list, and hands over its objects as they come.
   *
   * @returns the list; its objects may be left out
   * @throws what `request` throws, and what `onItem` throws
   */
  readonly list: (path: string, onItem: (item: unknown) => void, signal: AbortSignal) => Promise<unknown>;
  /**
   * Opens a watch and hands over its events one by one.
   *
   * @param path with the query string
   * @returns once the server, or the signal, has ended it
   * @throws StatusError, DisconnectedError
   */
  readonly watch: (path: string, onEvent: (event: unknown) => void, signal: AbortSignal) => Promise<void>;
}

export interface SessionOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly userAgent: string;
  /** The time between two pings, and the time that the server has to answer one, in milliseconds. */
  readonly ping?: { readonly everyMs: number; readonly withinMs: number };
  /** The time that a request may take. */
  readonly requestMs?: number;
  /** Called for each answer, and with undefined for each request that got none. */
  readonly onAnswer?: (method: string, status: number | undefined, path: string) => void;
  /** Called whenever the server answered a ping. */
  readonly onPing?: () => void;
  /** The remedy where the server does not know a resource, as errors say it: `install …`. */
  readonly unknownRemedy?: string;
}

/** Together less than 35 s, after which a person would notice that nothing happens. */
export const defaultPing = { everyMs: 12_000, withinMs: 12_000 };
const defaultRequestMs = 30_000;
/** After so long an API server ends a list itself. */
const listMs = 60_000;
/**
 * The most watches of one connection. An API server takes a hundred streams on each, and what comes after waits: the first connection has
 * the requests too, which must never wait for a watch to end.
 */
const maxWatches = { first: 32, more: 96 };
/** The time to wait for the end of a connection. */
const closingMs = 1_000;
/** The bytes that the server may send before this side reads them. */
const windowBytes = 4 * 1024 * 1024;

/** Opens nothing yet: the connection is made, and made again, when it is needed. */
export class HttpSession implements KubeSession {
  readonly #options: SessionOptions;
  readonly #requestMs: number;
  /** The connection that new requests use. */
  #current: ClientHttp2Session | undefined;
  /** All that are not closed, with the number of watches on each. */
  readonly #open = new Map<ClientHttp2Session, number>();
  #closed = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#requestMs = options.requestMs ?? defaultRequestMs;
  }

  // Properties, since callers pass them on by themselves.
  readonly request = async (request: KubeRequest): Promise<unknown> => {
    const { onAnswer, unknownRemedy } = this.#options;
    const stream = await this.#start(request);
    using _limit = this.#limit(stream, this.#requestMs);
    using _signal = closeOn(request.signal, stream);
    const { head, text } = await answerOf(stream, (status) => onAnswer?.(request.method, status, request.path));
    if (head.status >= 300) throw refusal(head, text, request, unknownRemedy);
    return JSON.parse(withoutManagedFields(text)) as unknown;
  };

  readonly list = async (path: string, onItem: (item: unknown) => void, signal: AbortSignal): Promise<unknown> => {
    const { onAnswer, unknownRemedy } = this.#options;
    const stream = await this.#start({ method: 'GET', path, signal });
    using _limit = this.#limit(stream, listMs);
    using _signal = closeOn(signal, stream);
    const reader = new ListReader(onItem);
    const onHead = (status: number | undefined): void => onAnswer?.('GET', status, path);
    const { head, text } = await answerOf(stream, onHead, (chunk) => {
      reader.take(chunk);
    });
    if (head.status >= 300) throw refusal(head, text, { method: 'GET', path }, unknownRemedy);
    return reader.end();
  };

  readonly watch = async (path: string, onEvent: (event: unknown) => void, signal: AbortSignal): Promise<void> => {
    const { onAnswer, unknownRemedy } = this.#options;
    const stream = await this.#start({ method: 'GET', path, signal }, true);
    using _signal = closeOn(signal, stream);
    const read = createLineReader((line) => {
      onEvent(JSON.parse(withoutManagedFields(line)));
    });
    const onHead = (status: number | undefined): void => onAnswer?.('GET', status, path);
    const { head, text } = await answerOf(stream, onHead, read, () => signal.aborted);
    if (head.status >= 300) throw refusal(head, text, { method: 'GET', path }, unknownRemedy);
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const ends = [...this.#open.keys()].map(
      (connection) => new Promise<void>((resolve) => connection.once('close', resolve)),
    );
    for (const connection of this.#open.keys()) connection.destroy();
    // A connection that is cut in the same moment is destroyed and never emits its end.
    const timeout = Promise.withResolvers<undefined>();
    using _limit = this.#options.clock.after(closingMs, () => {
      timeout.resolve(undefined);
    });
    await Promise.race([Promise.all(ends), timeout.promise]);
  }

  #limit(stream: ClientHttp2Stream, ms: number): Disposable {
    return this.#options.clock.after(ms, () => {
      stream.destroy(new Error(`the API server did not answer within ${ms / 1000} s`));
    });
  }

  async #start(request: KubeRequest, isWatch = false): Promise<ClientHttp2Stream> {
    const { method, path, body, contentType = 'application/json', signal } = request;
    const authorization = await this.#options.connection.authorization();
    signal?.throwIfAborted();
    const connection = isWatch ? this.#watchConnection() : this.#connection();
    const stream = connection.request(
      {
        [constants.HTTP2_HEADER_METHOD]: method,
        [constants.HTTP2_HEADER_PATH]: path,
        [constants.HTTP2_HEADER_USER_AGENT]: this.#options.userAgent,
        [constants.HTTP2_HEADER_ACCEPT]: 'application/json',
        ...(authorization === undefined ? {} : { [constants.HTTP2_HEADER_AUTHORIZATION]: authorization }),
        ...(body === undefined ? {} : { [constants.HTTP2_HEADER_CONTENT_TYPE]: contentType }),
      },
      { endStream: body === undefined },
    );
    // The reader of the stream gets the error too, but the reader may be gone.
    stream.on('error', () => undefined);
    if (isWatch) {
      this.#countWatch(connection, 1);
      stream.once('close', () => {
        this.#countWatch(connection, -1);
      });
    }
    if (body !== undefined) stream.end(JSON.stringify(body));
    return stream;
  }

  #connection(): ClientHttp2Session {
    if (this.#closed) throw new DisconnectedError('the connection to the API server was closed');
    const current = this.#current;
    // After GOAWAY nothing new uses the old connection, and its running requests finish.
    if (current !== undefined && !current.closed && !current.destroyed) return current;
    this.#current = this.#connect();
    return this.#current;
  }

  /** A connection with room for another watch. */
  #watchConnection(): ClientHttp2Session {
    const first = this.#connection();
    const hasRoom = (connection: ClientHttp2Session): boolean =>
      !connection.closed &&
      !connection.destroyed &&
      (this.#open.get(connection) ?? 0) < (connection === first ? maxWatches.first : maxWatches.more);
    return [first, ...this.#open.keys()].find(hasRoom) ?? this.#connect();
  }

  #countWatch(connection: ClientHttp2Session, change: number): void {
    const watches = this.#open.get(connection);
    if (watches !== undefined) this.#open.set(connection, watches + change);
  }

  #connect(): ClientHttp2Session {
    const { connection, clock, ping = defaultPing, onPing } = this.#options;
    const made = connect(connection.url, { ...connection.tls, settings: { initialWindowSize: windowBytes } });
    this.#open.set(made, 0);
    const watching = keepAlive(made, clock, ping, onPing);
    made.on('connect', () => {
      if (!made.destroyed) made.setLocalWindowSize(windowBytes);
    });
    // Each stream on it reports the error itself; without a listener here the process would end.
    made.on('error', () => undefined);
    made.once('close', () => {
      watching[Symbol.dispose]();
      this.#open.delete(made);
    });
    return made;
  }
}

/** Asks the other side again and again whether it is still there: a connection that was cut half-way is silent for ever. */
function keepAlive(
  session: ClientHttp2Session,
  clock: Clock,
  { everyMs, withinMs }: { everyMs: number; withinMs: number },
  onPing?: () => void,
): Disposable {
  let timer: Disposable;
  const give = (): void => {
    session.destroy(new Error(`the API server was silent for ${(everyMs + withinMs) / 1000} s`));
  };
  const ask = (): void => {
    timer = clock.after(withinMs, give);
    if (session.connecting || session.destroyed) return;
    session.ping((error) => {
      if (error !== null || session.destroyed) return;
      onPing?.();
      timer[Symbol.dispose]();
      timer = clock.after(everyMs, ask);
    });
  };
  const connected = (): void => {
    timer[Symbol.dispose]();
    timer = clock.after(everyMs, ask);
  };
  // A connection that does not come about is given up as well.
  timer = clock.after(everyMs + withinMs, give);
  session.once('connect', connected);
  return {
    [Symbol.dispose]: () => {
      timer[Symbol.dispose]();
    },
  };
}

/** The streams that a signal ends, by signal: to add and remove a listener of its own for each costs more with each other one. */
const endedBy = new WeakMap<AbortSignal, Set<ClientHttp2Stream>>();

function closeOn(signal: AbortSignal | undefined, stream: ClientHttp2Stream): Disposable {
  if (signal === undefined) return { [Symbol.dispose]: () => undefined };
  if (signal.aborted) stream.close(constants.NGHTTP2_CANCEL);
  const streams = endedBy.get(signal) ?? follow(signal);
  streams.add(stream);
  return {
    [Symbol.dispose]: () => {
      streams.delete(stream);
    },
  };
}

function follow(signal: AbortSignal): Set<ClientHttp2Stream> {
  const streams = new Set<ClientHttp2Stream>();
  endedBy.set(signal, streams);
  const stop = (): void => {
    for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
  };
  signal.addEventListener('abort', stop, { once: true });
  return streams;
}
