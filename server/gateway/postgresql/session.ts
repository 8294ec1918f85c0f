import type { Duplex } from 'node:stream';
import { takeOverConnection } from '../../databases/connections/raw-connection.ts';
import { settleWithin } from '../../databases/deadline.ts';
import { terminate } from '../../databases/postgresql/requests.ts';
import { FatalError } from '../fatal-error.ts';
import type { SessionAudit } from '../session-audit.ts';
import type { Conversation } from './conversation.ts';
import { errorResponse, noticeResponse } from './messages.ts';
import type { Upstream } from './upstream.ts';

/**
 * A request to stop that arrives before its statement is lost, so it is repeated; after `cancelMs` the session is ended at the
 * database. In milliseconds.
 */
const [cancelAgainMs, cancelMs] = [150, 500];

/** How long the client may take to read its last message, and the database to end, in milliseconds. */
const [goodbyeMs, terminateMs] = [1000, 1500];

/** How much of a message may still be passed on after the end, so that the client can read the reason behind it, in bytes. */
const longestRest = 64 * 1024;

/** Passes bytes between a client that has logged in and its database, until one of them leaves or the session is cut. */
export class PostgresSession {
  /** Settles when the session is over; its connections are then closed within seconds. */
  readonly done: Promise<void>;
  readonly #client: Duplex;
  readonly #upstream: Upstream;
  readonly #conversation: Conversation;
  readonly #settle: () => void;
  #audit: Pick<SessionAudit, 'added' | 'isBehind'> | undefined;
  #onEnd: (reason: string) => void = () => undefined;
  /** Messages for the client that wait for the end of one that is being passed on. */
  readonly #notices: Buffer[] = [];
  #cut: FatalError | undefined;
  #isOver = false;
  #isClientHeld = false;
  /** Whether the client cannot be told anything any more: it is in the middle of a message that will not end. */
  #isClientLost = false;

  /** @param client a stream that is not read yet */
  constructor(client: Duplex, upstream: Upstream, conversation: Conversation) {
    this.#client = client;
    this.#upstream = upstream;
    this.#conversation = conversation;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.done = promise;
    this.#settle = () => {
      resolve(undefined);
    };
  }

  /** Whether the server has nothing to do, and no transaction is open. */
  get isAtRest(): boolean {
    return this.#conversation.isAtRest;
  }

  /** Begins to pass on. @param onEnd is called once, with why the session ended */
  start(audit: Pick<SessionAudit, 'added' | 'isBehind'>, onEnd: (reason: string) => void): void {
    this.#audit = audit;
    this.#onEnd = onEnd;
    const { stream } = this.#upstream;
    const fromServer = (chunk: Buffer): void => {
      this.#fromServer(chunk);
    };
    takeOverConnection(stream, fromServer, (error) => {
      this.#end(error.message);
    });
    stream.on('drain', () => {
      this.resume();
    });
    this.#client.on('data', (chunk: Buffer) => {
      this.#fromClient(chunk);
    });
    this.#client.on('drain', () => stream.resume());
    for (const event of ['error', 'end', 'close']) {
      this.#client.on(event, () => {
        this.#end('the client closed the connection');
      });
    }
    stream.resume();
    this.#client.resume();
    // It may have left before anything listened.
    if (this.#client.destroyed) this.#end('the client closed the connection');
  }

  /** Reads from the client again, if nothing speaks against it any more. */
  resume(): void {
    if (!this.#isClientHeld || this.#mustHold()) return;
    this.#isClientHeld = false;
    this.#client.resume();
  }

  /** Sends a request to cancel on to the database. */
  async cancel(): Promise<void> {
    if (!this.#isOver) await this.#upstream.canceller.cancel();
  }

  /** Tells the client something as soon as it can be told. */
  notify(message: string): void {
    if (this.#cut !== undefined || this.#isOver) return;
    this.#notices.push(noticeResponse(message));
    this.#sendNotices();
  }

  /** Ends the session: stops what the database works on, tells the client why, and closes both connections. */
  async cut(error: FatalError): Promise<void> {
    if (this.#cut !== undefined || this.#isOver) return;
    this.#cut = error;
    this.#client.pause();
    this.#isClientLost = this.#conversation.fromServer.rest > longestRest;
    // What comes now is dropped, so it need not wait for the client.
    this.#upstream.stream.resume();
    const begun = performance.now();
    while (this.#mustStop() && performance.now() - begun < cancelMs) {
      void this.#upstream.canceller.cancel();
      await settleWithin(cancelAgainMs, this.done);
    }
    const ending = this.#mustStop() ? this.#upstream.terminate() : Promise.resolve();
    this.#end(error.message);
    await settleWithin(terminateMs, ending);
  }

  /** Whether the server still works for this session. */
  #mustStop(): boolean {
    return !this.#isOver && !this.#conversation.isIdle;
  }

  #fromClient(chunk: Buffer): void {
    if (this.#cut !== undefined || this.#isOver) return;
    try {
      this.#conversation.fromClient.take(chunk);
    } catch (error) {
      const fatal = error instanceof FatalError ? error : new FatalError('08P01', 'the client broke the protocol');
      void this.cut(fatal);
      return;
    }
    this.#upstream.stream.write(chunk);
    this.#audit?.added();
    if (this.#conversation.hasEnded) {
      this.#end('the client left');
      return;
    }
    if (this.#mustHold()) {
      this.#isClientHeld = true;
      this.#client.pause();
    }
  }

  #mustHold(): boolean {
    return this.#conversation.isFull || this.#upstream.stream.writableNeedDrain || this.#audit?.isBehind() === true;
  }

  #fromServer(chunk: Buffer): void {
    if (this.#isOver) return;
    const { fromServer } = this.#conversation;
    // After the end, only what completes a message that has begun.
    const passed = this.#cut === undefined ? chunk : chunk.subarray(0, this.#isClientLost ? 0 : fromServer.rest);
    fromServer.take(chunk);
    if (passed.length > 0 && !this.#client.write(passed)) this.#upstream.stream.pause();
    this.#sendNotices();
    this.#audit?.added();
    if (this.#isClientHeld) this.resume();
  }

  #sendNotices(): void {
    if (this.#notices.length === 0 || this.#conversation.fromServer.rest > 0) return;
    for (const notice of this.#notices.splice(0)) this.#client.write(notice);
  }

  #end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#conversation.tellRest();
    this.#onEnd(this.#cut?.message ?? reason);
    const { stream, canceller } = this.#upstream;
    if (stream.writable) stream.end(terminate);
    // Closing alone stops no statement: the client may have left in the middle of one.
    const stopping = this.#conversation.isIdle ? Promise.resolve() : canceller.cancel();
    void settleWithin(goodbyeMs, stopping).then(() => {
      canceller.close();
      stream.destroy();
    });
    const canBeTold = !this.#isClientLost && this.#client.writable && this.#conversation.fromServer.rest === 0;
    if (this.#cut !== undefined && canBeTold) this.#client.write(errorResponse(this.#cut));
    if (this.#isClientLost) this.#client.destroy();
    else this.#client.end();
    const timer = setTimeout(() => this.#client.destroy(), goodbyeMs);
    this.#client.once('close', () => {
      clearTimeout(timer);
    });
    this.#settle();
  }
}
