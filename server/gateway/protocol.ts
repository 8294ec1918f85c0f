import type { Duplex } from 'node:stream';
import type { ConnectionUri } from '@rolecall/api';
import type { TextDigest } from '../audit/entry.ts';
import type { FatalError } from '../protocols/fatal-error.ts';
import type { AtServer } from './at-server.ts';
import type { MemoryShare } from './memory.ts';
import type { AuditedSession } from './session-audit.ts';
import type { Statements } from './statements.ts';

/** Duties of a protocol for a session. */
export interface Protocol<U extends Upstream> {
  readonly name: AuditedSession['protocol'];
  /** The product, for people. */
  readonly product: string;
  /** The types of data sources that speak it. */
  readonly types: readonly ConnectionUri['type'][];
  /** Connects to the data source. @throws FatalError */
  readonly connect: (uri: ConnectionUri, signal: AbortSignal) => Promise<U>;
  /** Follows what passes. */
  readonly follow: (session: FollowedSession) => Conversation;
  /** Tells the client that it is in. @returns forgets, once the session is over, what was kept of it */
  readonly welcome: (upstream: U) => Disposable;
}

/** Session that a conversation follows. */
interface FollowedSession {
  readonly statements: Statements;
  /** Digest by which the audit trail shows a statement. */
  readonly digest: (text: string) => TextDigest;
  readonly memory: MemoryShare;
  /** Gives the session another connection to the data source, so that nothing is left of what it did. @throws FatalError */
  readonly renew: () => Promise<void>;
}

/** A command that the gateway answers itself. */
export interface OwnCommand {
  /** Carries the command out. @returns the answer for the client */
  readonly answer: () => Promise<Buffer>;
  /** Bytes that the client sent after it, which were not looked at. */
  readonly rest: Buffer;
}

/** Follows, in its protocol, what a client asks and what the server answers. */
export interface Conversation {
  /** True if the client has said that it leaves. */
  readonly hasEnded: boolean;
  /** True if the server has nothing to do. */
  readonly isIdle: boolean;
  /** True if the server has nothing to do, and no transaction is open. */
  readonly isAtRest: boolean;
  /** True if the client has to wait before it asks more. */
  readonly isFull: boolean;
  /** True if an answer may be one that must not reach the client. If not, it is passed on first: the client need not wait. */
  readonly mayRefuseAnswers: boolean;
  /** Bytes of the server's message under way that are still to come, as far as they are known. */
  readonly rest: number;
  /** The command that what the client sent last ended with, if the gateway is to answer it. */
  readonly ownCommand: OwnCommand | undefined;
  /** Takes what the client sends, in a buffer that may be read into again. @returns what of it goes to the server @throws FatalError */
  readonly ask: (chunk: Buffer) => Buffer;
  /** Takes what the server sends. @throws FatalError */
  readonly answer: (chunk: Buffer) => void;
  /** Reports the statement that the server works on, if it has not been reported yet. */
  readonly tellRunning: () => void;
  /**
   * Tells of what was passed on and has no answer yet, once the session is over: the server may run it all the same. Otherwise
   * a client could leave with its last statement, and the trail would lack it.
   */
  readonly tellRest: () => void;
  /**
   * Makes the message at which the server gives up the rows that it waits for. A server that waits for its client notices no
   * request to stop. MySQL has none: the gateway refuses LOAD DATA LOCAL.
   *
   * @returns nothing where no message can follow, so that only the end of the connection helps; undefined where it waits for none
   */
  readonly giveUpRows?: (reason: string) => Buffer | undefined;
  /** Makes the message that tells the client why the session ends, as the next message of the server. */
  readonly farewell: (error: FatalError) => Buffer;
  /** Makes a message to the client between two others; undefined where the protocol has no such message. */
  readonly notice: (message: string) => Buffer | undefined;
}

/** The connection to the database of a session. */
export interface Upstream {
  /** The socket, or TLS on top of it. */
  readonly stream: Duplex;
  /**
   * Place of the session at the server, so that another process can end it when this one has died; undefined where a server does
   * not tell, as some poolers, or where no process does that.
   */
  readonly atServer?: AtServer | undefined;
  /** Message that a client sends before it leaves. */
  readonly goodbye: Buffer;
  /**
   * Asks the server once to stop what it works on. Closing the connection alone stops no statement.
   *
   * @param sinceMs how long it has been asked already
   */
  readonly stop: (sinceMs: number) => Promise<unknown>;
  /** Gives up requests to stop that are under way. */
  readonly close: () => void;
}
