import type { Duplex } from 'node:stream';
import { takeOverConnection } from '../databases/connections/raw-connection.ts';
import { ReusedReads } from '../databases/connections/reused-reads.ts';
import { settleWithin } from '../databases/deadline.ts';
import { FatalError } from '../protocols/fatal-error.ts';
import type { Conversation, Upstream } from './protocol.ts';
import type { SessionAudit } from './session-audit.ts';

/**
 * Time that the server may take to stop, the interval at which it is asked to, and the time that client and server may take to
 * leave after that, in milliseconds. A request that arrives before its statement is lost.
 */
const [stopMs, stopAgainMs, goodbyeMs] = [2000, 150, 1000];

/** Bytes of a message that may still be passed on after the end, so that the client can read the reason behind it. */
const longestRest = 64 * 1024;

const [clientClosed, clientLeft] = ['the client closed the connection', 'the client left'];
const notStopped = 'its statement could not be stopped and may still run in the database';

/** Passes bytes between a client that has logged in and its database, until one of them leaves or the session is cut. */
export class Session {
  readonly #client: Duplex;
  #upstream: Upstream;
  readonly #conversation: Conversation;
  readonly #isBlind: () => boolean;
  readonly #stopped = Promise.withResolvers<undefined>();
  #audit: Pick<SessionAudit, 'added' | 'isBehind'> | undefined;
  #onEnd: (reason: string) => void = () => undefined;
  /** Bytes that the server sent while the gateway did not know whether the access goes on. */
  readonly #heldAnswers: Buffer[] = [];
  /** Messages for the client that wait for the end of one that is being passed on. */
  readonly #notices: Buffer[] = [];
  /** Why the session ends; it is over when the server has stopped. */
  #ending: { readonly reason: string; readonly error: FatalError | undefined } | undefined;
  /** Last message to the client. It stands behind a whole message, or the client is not told. */
  #farewell: Buffer | undefined;
  #isOver = false;
  /** True if the client has said that it leaves, and the server still works on what it asked for before. */
  #isLeaving = false;
  #isClientHeld = false;
  #isAnswering = false;
  /** True if the client has not taken an answer of the gateway itself yet. */
  #isAnswerHeld = false;

  /**
   * @param client a stream that is not read yet
   * @param isBlind whether the gateway does not know if the access goes on; `resume` is called when it knows again
   */
  constructor(client: Duplex, upstream: Upstream, conversation: Conversation, isBlind: () => boolean) {
    this.#isBlind = isBlind;
    this.#client = client;
    this.#upstream = upstream;
    this.#conversation = conversation;
  }

  /** True if the server has nothing to do, and no transaction is open. */
  get isAtRest(): boolean {
    return this.#conversation.isAtRest;
  }

  /** Begins to pass on. @param onEnd is called once, with why the session ended */
  start(audit: Pick<SessionAudit, 'added' | 'isBehind'>, onEnd: (reason: string) => void): void {
    this.#audit = audit;
    this.#onEnd = onEnd;
    this.#attach(this.#upstream);
    const fromClient = (chunk: Buffer): void => {
      this.#fromClient(chunk);
    };
    this.#client.on('data', fromClient);
    // What the server has not taken yet is still in the buffer that was read into.
    ReusedReads.of(this.#client)?.take(fromClient, () => this.#upstream.stream.writableLength === 0);
    this.#client.on('drain', () => {
      this.#upstream.stream.resume();
      this.#isAnswerHeld = false;
      this.resume();
    });
    for (const event of ['error', 'end', 'close']) {
      this.#client.on(event, () => {
        if (this.#isLeaving) this.#upstream.stream.resume();
        else void this.#close(clientClosed);
      });
    }
    this.#client.resume();
    // It may have left before anything listened.
    if (this.#client.destroyed) void this.#close(clientClosed);
  }

  /** Goes on with another connection to the database. The one before has nothing to do. */
  replace(upstream: Upstream): void {
    const oldUpstream = this.#isOver || this.#ending !== undefined ? upstream : this.#upstream;
    if (oldUpstream !== upstream) {
      this.#upstream = upstream;
      this.#attach(upstream);
    }
    oldUpstream.close();
    oldUpstream.stream.end(oldUpstream.goodbye, () => oldUpstream.stream.destroy());
  }

  #attach(upstream: Upstream): void {
    const { stream } = upstream;
    const fromServer = (chunk: Buffer): void => {
      if (this.#upstream === upstream) this.#fromServer(chunk);
    };
    takeOverConnection(stream, fromServer, (error) => {
      if (this.#upstream === upstream) this.#end(this.#isLeaving ? clientLeft : error.message);
    });
    ReusedReads.of(stream)?.take(fromServer, () => this.#client.writableLength === 0);
    stream.on('drain', () => {
      this.resume();
    });
    stream.resume();
  }

  /** Passes on what was held and reads from the client again, if nothing speaks against it any more. */
  resume(): void {
    if (this.#isBlind()) return;
    this.#passHeldAnswers();
    if (!this.#isClientHeld || this.#mustHold()) return;
    this.#isClientHeld = false;
    this.#client.resume();
  }

  /** Tells the client something as soon as it can be told. */
  notify(message: string): void {
    const notice = this.#conversation.notice(message);
    if (notice === undefined || this.#ending !== undefined || this.#isOver) return;
    this.#notices.push(notice);
    this.#sendNotices();
  }

  /** Ends the session: stops what the database works on, tells the client why, and closes both connections. */
  async cut(error: FatalError): Promise<void> {
    await this.#close(error.message, error);
  }

  #fromClient(chunk: Buffer): void {
    if (this.#ending !== undefined || this.#isOver || this.#isLeaving) return;
    try {
      const passed = this.#conversation.ask(this.#isBlind() ? this.#putBack(chunk) : chunk);
      if (passed.length > 0) this.#upstream.stream.write(passed);
    } catch (error) {
      this.#broken(error, 'the client broke the protocol');
      return;
    }
    this.#audit?.added();
    if (this.#conversation.hasEnded) {
      this.#isLeaving = true;
      this.#leaveIfDone();
      return;
    }
    if (this.#mustHold()) {
      this.#isClientHeld = true;
      this.#client.pause();
    }
    if (this.#conversation.ownCommand !== undefined) this.#answerOwn();
  }

  /** Leaves what the client sent for later. @returns nothing, with which the conversation forgets a command that was answered */
  #putBack(chunk: Buffer): Buffer {
    this.#isClientHeld = true;
    this.#client.pause();
    // A copy: the buffer that was read into is used again.
    if (chunk.length > 0) this.#client.unshift(Buffer.from(chunk));
    return Buffer.alloc(0);
  }

  #mustHold(): boolean {
    const { isFull, ownCommand } = this.#conversation;
    const mustWait = isFull || ownCommand !== undefined || this.#isAnswerHeld;
    return mustWait || this.#upstream.stream.writableNeedDrain || this.#audit?.isBehind() === true;
  }

  /** The server completes what the client asked for before it left, as it does without a gateway: a COMMIT, say. */
  #leaveIfDone(): void {
    if (this.#conversation.isIdle) void this.#close(clientLeft);
  }

  /** Answers in the client's order: the client expects the answers to its earlier commands first. */
  #answerOwn(): void {
    const { ownCommand, isIdle } = this.#conversation;
    if (ownCommand === undefined || this.#isAnswering || !isIdle) return;
    this.#isAnswering = true;
    ownCommand.answer().then(
      (answer) => {
        this.#isAnswering = false;
        if (this.#ending !== undefined || this.#isOver) return;
        this.#isAnswerHeld = !this.#client.write(answer);
        this.#fromClient(ownCommand.rest);
        this.resume();
      },
      (error: unknown) => {
        this.#broken(error, 'the client broke the protocol');
      },
    );
  }

  #fromServer(chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#ending === undefined && this.#isBlind()) {
      // A copy: the buffer that was read into is used again.
      this.#heldAnswers.push(Buffer.from(chunk));
      this.#upstream.stream.pause();
      return;
    }
    try {
      if (this.#ending !== undefined) {
        this.#completeMessage(chunk);
        return;
      }
      if (!this.#conversation.mayRefuseAnswers) this.#toClient(chunk);
      this.#conversation.answer(chunk);
      if (this.#conversation.mayRefuseAnswers) this.#toClient(chunk);
    } catch (error) {
      this.#broken(error, 'the server broke the protocol');
      return;
    }
    this.#audit?.added();
    if (this.#isLeaving) this.#leaveIfDone();
    if (this.#notices.length > 0) this.#sendNotices();
    if (this.#conversation.ownCommand !== undefined) this.#answerOwn();
    if (this.#isClientHeld) this.resume();
  }

  #passHeldAnswers(): void {
    if (this.#heldAnswers.length === 0) return;
    this.#upstream.stream.resume();
    for (const answer of this.#heldAnswers.splice(0)) this.#fromServer(answer);
  }

  #toClient(chunk: Buffer): void {
    // One that has closed takes nothing, and what is meant for it must not keep the server waiting.
    if (!this.#client.write(chunk) && this.#client.writable) this.#upstream.stream.pause();
  }

  /** Passes on, after the end, only what completes a message that has begun. The rest still tells when the server has stopped. */
  #completeMessage(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && this.#farewell === undefined && this.#conversation.rest <= longestRest) {
      const part = chunk.subarray(at, at + this.#conversation.rest);
      at += part.length;
      this.#conversation.answer(part);
      this.#client.write(part);
      this.#prepareFarewell();
    }
    if (at < chunk.length) this.#conversation.answer(chunk.subarray(at));
    if (this.#conversation.isIdle) this.#stopped.resolve(undefined);
  }

  #prepareFarewell(): void {
    if (this.#conversation.rest > 0) return;
    const { error } = this.#ending ?? {};
    this.#farewell = error === undefined ? Buffer.alloc(0) : this.#conversation.farewell(error);
  }

  #sendNotices(): void {
    if (this.#conversation.rest > 0) return;
    for (const notice of this.#notices.splice(0)) this.#client.write(notice);
  }

  #broken(error: unknown, what: string): void {
    void this.cut(error instanceof FatalError ? error : new FatalError('08P01', what));
  }

  /** Stops the server, then ends the session. Goes on without the client: a statement would outlive its access. */
  async #close(reason: string, error?: FatalError): Promise<void> {
    if (this.#ending !== undefined || this.#isOver) return;
    this.#ending = { reason, error };
    this.#client.pause();
    this.#prepareFarewell();
    // What comes now is dropped, so it need not wait for the client.
    this.#upstream.stream.resume();
    this.#passHeldAnswers();
    const begun = performance.now();
    for (let since = 0; this.#isWorking && since < stopMs; since = performance.now() - begun) {
      this.#giveUpRows(reason);
      // Whether it succeeds shows in what the server does.
      this.#upstream.stop(since).catch(() => undefined);
      await settleWithin(stopAgainMs, this.#stopped.promise);
    }
    if (this.#isWorking) this.#ending = { reason: `${reason}; ${notStopped}`, error };
    this.#end(reason);
  }

  #giveUpRows(reason: string): void {
    const { stream } = this.#upstream;
    const given = this.#conversation.giveUpRows?.(reason);
    if (given === undefined || !stream.writable) return;
    if (given.length > 0) stream.write(given);
    else stream.end();
  }

  /** True if the server still works for this session. */
  get #isWorking(): boolean {
    return !this.#isOver && !this.#conversation.isIdle;
  }

  #end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopped.resolve(undefined);
    this.#conversation.tellRest();
    this.#onEnd(this.#ending?.reason ?? reason);
    const { stream, goodbye } = this.#upstream;
    this.#upstream.close();
    // A client that left has said so to the server, too.
    if (stream.writable) stream.end(this.#isLeaving ? undefined : goodbye, () => stream.destroy());
    // In the middle of a message, it cannot be told anything.
    if (this.#ending !== undefined && this.#farewell === undefined) this.#client.destroy();
    else this.#client.end(this.#farewell);
    setTimeout(() => {
      stream.destroy();
      this.#client.destroy();
    }, goodbyeMs).unref();
  }
}
