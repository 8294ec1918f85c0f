import type { Duplex } from 'node:stream';
import { add } from '../counts.ts';
import { networkOf } from '../http/connections.ts';
import { FatalError } from '../protocols/fatal-error.ts';
import { ConnectionEndedError } from '../protocols/read-exactly.ts';
import { StoreUnavailableError } from '../store/errors.ts';
import type { GatewayParts } from './gateway.ts';
import { shuttingDown } from './shutting-down.ts';

/** Time that a client may take to log in, with the connection to its database, in milliseconds. */
const logInMs = 20_000;
/** Time that a client that was refused may take to read why, in milliseconds. */
const goodbyeMs = 1000;
/** Time that a log-in keeps its place at least, where no network has more of them than the one that asks, in milliseconds. */
const undisturbedMs = 3000;

/** Clients that may log in at a time: in all, and from one network. */
const most = { loggingIn: 512, ofNetwork: 128 };

/**
 * Logs a client in and handles its session, or throws why it is not let in.
 *
 * @param signal aborts when the client takes too long, or leaves
 * @param secured takes the TLS stream over the client's; from then on, refusals go through it
 * @param letIn ends the log-in: its time, its place and its signal no longer count
 */
export type LogIn = (signal: AbortSignal, secured: (stream: Duplex) => void, letIn: () => void) => Promise<void>;

interface Place {
  readonly network: string;
  readonly since: number;
}

/** The clients that log in, over every protocol: how many there may be, how long each may take, and why one is refused. */
export class LogIns {
  readonly #onError: GatewayParts['onError'];
  /** The log-ins that have a place, the oldest first. */
  readonly #places = new Map<AbortController, Place>();
  /** Log-ins that are under way: the controller that ends each, and its end. */
  readonly #underWay = new Map<AbortController, Promise<void>>();
  #isClosed = false;

  constructor({ onError }: Pick<GatewayParts, 'onError'>) {
    this.#onError = onError;
  }

  /**
   * Refuses the log-ins that are under way and all that come, and waits for their end. A session that began behind the last write
   * of the audit trail would not be in it.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const ended of this.#underWay.keys()) ended.abort(shuttingDown());
    await Promise.all(this.#underWay.values());
  }

  /**
   * Runs the log-in of a client within its time, and tells the client why it failed.
   *
   * @param encode writes the reason in the client's protocol
   */
  run(stream: Duplex, address: string, logIn: LogIn, encode: (error: FatalError) => Buffer): void {
    const ended = new AbortController();
    const refusal = this.#takePlace(ended, networkOf(address));
    const end = (): void => {
      ended.abort(new ConnectionEndedError());
    };
    const timer = setTimeout(() => {
      ended.abort(new FatalError('57014', `the log-in took longer than ${logInMs / 1000} seconds: try again`));
    }, logInMs);
    const streams: Duplex[] = [];
    const use = (next: Duplex): void => {
      streams.unshift(next);
      // An error without a listener would end the process.
      next.on('error', () => undefined).once('close', end);
    };
    use(stream);
    const { promise: over, resolve } = Promise.withResolvers<undefined>();
    const release = (): void => {
      clearTimeout(timer);
      for (const next of streams) next.off('close', end);
      this.#underWay.delete(ended);
      this.#places.delete(ended);
      resolve(undefined);
    };
    this.#underWay.set(ended, over);
    // From the first byte to the last: a client may also stop in the middle of the handshake of TLS.
    (refusal === undefined ? logIn(ended.signal, use, release) : Promise.reject(refusal))
      .catch((error: unknown) => {
        refuse(streams[0] ?? stream, this.#describe(error), encode);
      })
      .finally(release);
  }

  /** @returns why there is no place */
  #takePlace(ended: AbortController, network: string): FatalError | undefined {
    if (this.#isClosed) return shuttingDown();
    const counts = new Map<string, number>();
    for (const place of this.#places.values()) add(counts, place.network, 1);
    const count = (counts.get(network) ?? 0) + 1;
    if (count > most.ofNetwork) return tooMany();
    if (this.#places.size >= most.loggingIn && !this.#makeRoom(counts, count)) return tooMany();
    this.#places.set(ended, { network, since: performance.now() });
    return undefined;
  }

  /**
   * Ends the oldest log-in of the network that has the most, so that a few networks cannot keep all others out. Where none has
   * more than the one that asks, that log-in is ended only after some time: so many networks with one each keep no one out, and a
   * crowd of honest clients does not end its own log-ins.
   *
   * @param count log-ins that the network that asks is to have
   * @returns whether there is room
   */
  #makeRoom(counts: ReadonlyMap<string, number>, count: number): boolean {
    const highest = Math.max(...counts.values());
    if (highest < count) return false;
    for (const [ended, { network, since }] of this.#places) {
      if (counts.get(network) !== highest) continue;
      if (highest === count && performance.now() - since < undisturbedMs) return false;
      this.#places.delete(ended);
      ended.abort(tooMany());
      return true;
    }
    return false;
  }

  #describe(error: unknown): FatalError | undefined {
    if (error instanceof FatalError) return error;
    if (error instanceof StoreUnavailableError) {
      return new FatalError('57P03', 'the gateway cannot reach its store, so that it lets no one in: try again');
    }
    if (error instanceof ConnectionEndedError) return undefined;
    this.#onError(error, 'a client was not let in through the gateway');
    return new FatalError('XX000', 'the gateway failed; its log says why');
  }
}

function tooMany(): FatalError {
  return new FatalError('53300', 'too many clients log in at the moment: try again');
}

function refuse(stream: Duplex, fatal: FatalError | undefined, encode: (error: FatalError) => Buffer): void {
  if (fatal === undefined || !stream.writable) {
    stream.destroy();
    return;
  }
  stream.end(encode(fatal));
  // What else the client sends is not read, and a client that does not read is not waited for.
  stream.resume();
  const timer = setTimeout(() => stream.destroy(), goodbyeMs);
  stream.once('close', () => {
    clearTimeout(timer);
  });
}
