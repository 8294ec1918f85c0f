import type { Duplex } from 'node:stream';
import { takeOverConnection } from '../../databases/connections/raw-connection.ts';
import { settleWithin } from '../../databases/deadline.ts';
import type { PassingSession } from '../admit.ts';
import { FatalError } from '../fatal-error.ts';
import type { SessionAudit } from '../session-audit.ts';
import type { Local } from './commands.ts';
import type { Conversation } from './conversation.ts';
import { errorPacket, fatalPacket, okPacket, quitPacket, unknownCommand, unknownThread } from './messages.ts';
import type { Upstream } from './upstream.ts';

/** How long the client may take to read its last message, and the database to end the session, in milliseconds. */
const [goodbyeMs, killMs] = [1000, 1500];

/** How much of a packet may still be passed on after the end, so that the client can read the reason behind it, in bytes. */
const longestRest = 64 * 1024;

/** Finds a session by the id of its connection that a client names, for the person of this session. */
export type FindSession = (id: number) => Pick<MysqlSession, 'kill'> | undefined;

/** Passes bytes between a client that has logged in and its database, until one of them leaves or the session is cut. */
export class MysqlSession implements PassingSession {
  readonly #client: Duplex;
  readonly #upstream: Upstream;
  readonly #conversation: Conversation;
  readonly #find: FindSession;
  readonly #done = Promise.withResolvers<undefined>();
  #audit: Pick<SessionAudit, 'added' | 'isBehind'> | undefined;
  #onEnd: (reason: string) => void = () => undefined;
  /** A command that the gateway answers when the server has answered those before it, and what the client sent after it. */
  #local: { readonly command: Local; readonly sequence: number; readonly rest: Buffer } | undefined;
  #isAnswering = false;
  #cut: FatalError | undefined;
  #isOver = false;
  #isClientHeld = false;
  /** Whether the client cannot be told anything any more: it is in the middle of a packet that will not end. */
  #isClientLost = false;

  /** @param client a stream that is not read yet */
  constructor(client: Duplex, upstream: Upstream, conversation: Conversation, find: FindSession) {
    this.#client = client;
    this.#upstream = upstream;
    this.#conversation = conversation;
    this.#find = find;
  }

  get isAtRest(): boolean {
    return this.#conversation.isAtRest && this.#local === undefined;
  }

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

  resume(): void {
    if (!this.#isClientHeld || this.#mustHold()) return;
    this.#isClientHeld = false;
    this.#client.resume();
  }

  /** The protocol has no messages that a client did not ask for. */
  notify(): void {
    // The client learns of the end when it comes.
  }

  /** Stops the statement of this session, or the session, as its person asks. */
  async kill(what: 'QUERY' | 'CONNECTION'): Promise<void> {
    if (!this.#isOver) await this.#upstream.killer.kill(what);
  }

  async cut(error: FatalError): Promise<void> {
    if (this.#cut !== undefined || this.#isOver) return;
    this.#cut = error;
    this.#client.pause();
    this.#isClientLost = this.#conversation.fromServer.rest > longestRest;
    // What comes now is dropped, so it need not wait for the client.
    this.#upstream.stream.resume();
    // Closing alone stops no statement. Unlike KILL QUERY, this cannot come before the statement does.
    if (!this.#conversation.isIdle) {
      await settleWithin(killMs, Promise.race([this.#upstream.killer.kill('CONNECTION'), this.#done.promise]));
    }
    this.#end(error.message);
  }

  #fromClient(chunk: Buffer): void {
    if (this.#cut !== undefined || this.#isOver) return;
    try {
      const { pass, local, rest } = this.#conversation.fromClient.take(chunk);
      if (pass.length > 0) this.#upstream.stream.write(pass);
      this.#local = local === undefined ? undefined : { ...local, rest };
    } catch (error) {
      this.#broken(error, 'the client broke the protocol');
      return;
    }
    this.#audit?.added();
    if (this.#conversation.hasEnded) {
      this.#end('the client left');
      return;
    }
    if (this.#mustHold()) {
      this.#isClientHeld = true;
      this.#client.pause();
    }
    this.#answerLocal();
  }

  #mustHold(): boolean {
    return (
      this.#local !== undefined ||
      this.#conversation.isFull ||
      this.#upstream.stream.writableNeedDrain ||
      this.#audit?.isBehind() === true
    );
  }

  /** Answers in the client's order: the client expects the answers to its earlier commands first. */
  #answerLocal(): void {
    const local = this.#local;
    if (local === undefined || this.#isAnswering || !this.#conversation.isIdle) return;
    this.#isAnswering = true;
    void this.#answer(local.command, local.sequence).then((answer) => {
      this.#isAnswering = false;
      this.#local = undefined;
      if (this.#cut !== undefined || this.#isOver) return;
      this.#client.write(answer);
      if (local.rest.length > 0) this.#fromClient(local.rest);
      this.resume();
    });
  }

  async #answer(command: Local, sequence: number): Promise<Buffer> {
    if (command.kind === 'refused') return errorPacket(sequence, unknownCommand, command.reason);
    const session = this.#find(command.id);
    if (session === undefined) return errorPacket(sequence, unknownThread, `Unknown thread id: ${command.id}`);
    await session.kill(command.of);
    return okPacket(sequence);
  }

  #fromServer(chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#cut !== undefined) {
      this.#completePacket(chunk);
      return;
    }
    try {
      this.#conversation.fromServer.take(chunk);
    } catch (error) {
      this.#broken(error, 'the server broke the protocol');
      return;
    }
    if (!this.#client.write(chunk)) this.#upstream.stream.pause();
    this.#audit?.added();
    this.#answerLocal();
    if (this.#isClientHeld) this.resume();
  }

  /**
   * Passes on, after the end, only what completes a packet that has begun. What is dropped is not followed either, so that the
   * conversation stays where the client is.
   */
  #completePacket(chunk: Buffer): void {
    const { fromServer } = this.#conversation;
    for (let at = 0; at < chunk.length && fromServer.rest > 0; ) {
      this.#isClientLost ||= fromServer.rest > longestRest;
      if (this.#isClientLost) return;
      const part = chunk.subarray(at, at + fromServer.rest);
      at += part.length;
      fromServer.take(part);
      this.#client.write(part);
    }
  }

  #broken(error: unknown, what: string): void {
    void this.cut(error instanceof FatalError ? error : new FatalError('08P01', what));
  }

  #end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd(this.#cut?.message ?? reason);
    const { stream, killer } = this.#upstream;
    // The client may have left in the middle of a statement.
    const stopping =
      this.#conversation.isIdle || this.#cut !== undefined ? Promise.resolve() : killer.kill('CONNECTION');
    if (stream.writable) stream.end(quitPacket);
    void settleWithin(killMs, stopping).then(() => {
      killer.close();
      stream.destroy();
    });
    const canBeTold = !this.#isClientLost && this.#client.writable && this.#conversation.fromServer.rest === 0;
    if (this.#cut !== undefined && canBeTold) this.#client.write(fatalPacket(this.#conversation.sequence, this.#cut));
    if (this.#isClientLost) this.#client.destroy();
    else this.#client.end();
    const timer = setTimeout(() => this.#client.destroy(), goodbyeMs);
    this.#client.once('close', () => {
      clearTimeout(timer);
    });
    this.#done.resolve(undefined);
  }
}
