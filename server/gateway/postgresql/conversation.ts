import type { TextDigest } from '../../audit/entry.ts';
import { FatalError } from '../../protocols/fatal-error.ts';
import {
  commandComplete,
  errorResponse,
  noticeResponse,
  readyForQuery,
  server,
} from '../../protocols/postgresql/answers.ts';
import { letter, type OnMessage } from '../../protocols/postgresql/framing.ts';
import { client, copyFail } from '../../protocols/postgresql/requests.ts';
import type { MemoryShare } from '../memory.ts';
import type { Conversation } from '../protocol.ts';
import type { Statements } from '../statements.ts';
import { readRequest, wantedOfClient } from './client-messages.ts';
import { MessageFollower } from './message-follower.ts';
import { deallocated, Names } from './names.ts';
import { Request, RequestQueue, unexpectedInCopy } from './request-queue.ts';
import { hasNotRun, longestError, readServerError, type ServerError } from './server-errors.ts';

const inCopy = new Set([
  client.copyData,
  client.copyDone,
  client.copyFail,
  client.sync,
  client.flush,
  client.terminate,
]);
const [space, zero] = [letter(' '), letter('0')];
const idle = 'I';
/** Messages that the server sends at any time, whatever it was asked: notices, notifications, settings that changed. */
const unasked = new Set([server.notice, server.notification, server.parameter]);

/**
 * Follows what a client asks of PostgreSQL and what the server answers, while both pass through. Knows which statements the
 * server has run: what it skipped after an error is none.
 */
export class PostgresConversation implements Conversation {
  readonly ownCommand = undefined;
  readonly mayRefuseAnswers = false;
  readonly #fromClient: MessageFollower;
  readonly #fromServer: MessageFollower;
  readonly #statements: Statements;
  readonly #digest: (text: string) => TextDigest;
  readonly #names: Names;
  /** The names that statements of SQL deallocate. */
  readonly #deallocates = new WeakMap<TextDigest, string>();
  readonly #awaited: RequestQueue;
  /** Statement that was prepared or bound without a name and has not run. The server may have run functions in it to plan it. */
  #unrun: TextDigest | undefined;
  #rows = 0;
  #isCopyIn = false;
  /** True if a Sync came before the rows of the COPY ended. The server has ignored it, unless the COPY fails first. */
  #hasSyncInCopy = false;
  /** True if such a COPY has failed: it cannot be told if the server ignores what comes next. */
  #isUnsure = false;
  /** True if the server ignores what comes before the next Sync, after an error. */
  #isSkipping = false;
  #isInTransaction = false;
  #hasEnded = false;

  /** @param digest how the audit trail shows a statement */
  constructor(statements: Statements, digest: (text: string) => TextDigest, memory: MemoryShare) {
    this.#statements = statements;
    this.#digest = (text) => {
      const statement = digest(text);
      const name = deallocated(text);
      if (name !== undefined) this.#deallocates.set(statement, name);
      return statement;
    };
    this.#names = new Names(digest, memory);
    this.#awaited = new RequestQueue(memory);
    const asked: OnMessage = (type, bytes, start, end) => {
      this.#asked(type, bytes, start, end);
    };
    this.#fromClient = new MessageFollower(wantedOfClient, asked, memory.add);
    const answered: OnMessage = (type, bytes, start, end) => {
      this.#answered(type, bytes, start, end);
    };
    this.#fromServer = new MessageFollower(wantedOfServer, answered, undefined, {
      // Of a COPY, the command tag tells how many rows there were.
      types: [server.row, server.copyData],
      onPlain: (count) => {
        this.#rows += count;
      },
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get isIdle(): boolean {
    return this.#awaited.isEmpty;
  }

  get isAtRest(): boolean {
    return this.isIdle && !this.#isInTransaction;
  }

  get isFull(): boolean {
    return this.#awaited.isFull;
  }

  get rest(): number {
    return this.#fromServer.rest;
  }

  ask(chunk: Buffer): Buffer {
    this.#fromClient.take(chunk);
    return chunk;
  }

  answer(chunk: Buffer): void {
    this.#fromServer.take(chunk);
  }

  giveUpRows(reason: string): Buffer | undefined {
    if (!this.#isCopyIn) return undefined;
    return this.#fromClient.rest > 0 ? Buffer.alloc(0) : this.ask(copyFail.encode(reason));
  }

  farewell(error: FatalError): Buffer {
    return errorResponse.encode(error);
  }

  notice(message: string): Buffer {
    return noticeResponse.encode(message);
  }

  tellRunning(): void {
    const { head } = this.#awaited;
    // Whether a server could read a text at all shows in its first answer.
    if (head === undefined) this.#showUnrun();
    else if (!head.isRun || !head.isAnswered) this.#showNext();
    else if (!head.isTold) this.#tell(head, 0);
  }

  /**
   * Shows the statement that runs next, or already does: a server keeps its answers to what came before until the statement is
   * done. It counts as a run when the server has answered.
   */
  #showNext(): void {
    for (const [request, statement] of this.#outlook()) {
      if (request.kind === 'sync') return;
      if (!request.isRun && request.kind !== 'bound') continue;
      if (statement !== undefined && !request.isShown) this.#show(statement);
      request.isShown = true;
      if (request.isRun) return;
    }
  }

  tellRest(): void {
    this.#showUnrun();
    for (const [request, statement] of this.#outlook()) {
      if (request.isRun && !request.isTold) this.#tell(request, request.rows, { statement });
      else if (!request.isRun && statement !== undefined) this.#show(statement);
    }
  }

  /** The requests without an answer, with the statements that they run or give a name to if all that comes before succeeds. */
  *#outlook(): Generator<[Request, TextDigest | undefined]> {
    const parsed = new Map<string, TextDigest | undefined>();
    const portals = new Map<string, TextDigest | undefined>();
    for (const request of this.#awaited.all) {
      const { kind, name, of, statement } = request;
      if (kind === 'parsed') parsed.set(name, statement);
      if (kind === 'bound') portals.set(name, parsed.get(of) ?? this.#names.prepared(of));
      if (request.isRun) yield [request, statement ?? portals.get(name) ?? this.#names.portal(name)];
      else if (kind === 'bound') yield [request, portals.get(name)];
      else yield [request, name === '' ? undefined : statement];
    }
  }

  /** Records a statement that may run without being named again: SQL can run what has a name. */
  #show(statement: TextDigest): void {
    this.#statements.add(statement, { runs: 0, rows: 0 });
  }

  #showUnrun(): void {
    if (this.#unrun !== undefined) this.#show(this.#unrun);
    this.#unrun = undefined;
  }

  #asked(type: number, bytes: Buffer, start: number, end: number): void {
    // Some servers read on behind Terminate, in the middle of a COPY.
    if (this.#hasEnded) throw new FatalError('08P01', 'the client sent more behind Terminate');
    if (this.#isSkipping && type !== client.sync && type !== client.terminate) return;
    // Servers differ in what they do with another message, so that the answers could no longer be told apart.
    if ((this.#isCopyIn || this.#isUnsure) && !inCopy.has(type)) throw new FatalError('08P01', unexpectedInCopy);
    switch (type) {
      case client.sync:
        this.#isSkipping = false;
        // The server ignores it while it takes the rows of a COPY.
        if (this.#isCopyIn) this.#hasSyncInCopy = true;
        else this.#awaited.add(new Request('sync'));
        break;
      case client.copyDone:
      case client.copyFail:
        if (this.#isCopyIn) this.#isCopyIn = false;
        else if (!this.isIdle) this.#awaited.add(new Request('copy end'));
        break;
      case client.terminate:
        this.#hasEnded = true;
        break;
      default: {
        const request = readRequest(type, bytes, start, end, this.#digest);
        if (request === undefined) return;
        if (request.statement !== undefined) this.#statements.expect(request.statement);
        this.#awaited.add(request);
      }
    }
  }

  #answered(type: number, bytes: Buffer, start: number, end: number): void {
    this.#awaited.dropCopyEnds();
    const request = this.#awaited.head;
    if (type === server.ready) this.#ready(readyForQuery.decode(bytes, start) === idle);
    if (type === server.ready || unasked.has(type)) return;
    if (request === undefined) {
      // A server that gives the session up says so at any time. Any other error answers something that is not known here.
      if (type !== server.error || readServerError(bytes, start, end).isFatal) return;
      throw new FatalError('08P01', 'the server sent an error that answers nothing the client asked');
    }
    const wasAnswered = request.isAnswered;
    request.isAnswered = true;
    if (type === server.error) this.#failed(request, readServerError(bytes, start, end), wasAnswered);
    else if (type === server.copyIn) {
      const { isOpen, hasSync } = this.#awaited.copyIn();
      this.#isCopyIn = isOpen;
      this.#hasSyncInCopy ||= hasSync;
    } else if (request.isRun) this.#progressed(request, type, bytes, start, end);
    else if (this.#named(request, type)) this.#awaited.next();
  }

  /** @returns whether the request was answered by this */
  #named({ kind, name, of, statement }: Request, type: number): boolean {
    switch (kind) {
      case 'parsed':
        if (type !== server.parsed || statement === undefined) return false;
        this.#names.prepare(name, statement);
        this.#prepared(name, statement);
        return true;
      case 'bound': {
        if (type !== server.bound) return false;
        this.#prepared(name, this.#names.bind(name, of));
        return true;
      }
      case 'described':
        return type === server.columns || type === server.noColumns;
      case 'statement closed':
        if (type === server.closed) this.#names.forget(name);
        return type === server.closed;
      case 'portal closed':
        if (type === server.closed) this.#names.closePortal(name);
        return type === server.closed;
      default:
        return false;
    }
  }

  /** Notes a statement that may run: with a name, SQL can run it at any time. */
  #prepared(name: string, statement: TextDigest): void {
    if (name !== '') this.#show(statement);
    else if (statement !== this.#unrun) {
      this.#showUnrun();
      this.#unrun = statement;
    }
  }

  #progressed(request: Request, type: number, bytes: Buffer, start: number, end: number): void {
    if (type === server.complete) {
      request.rows += rowsOf(bytes, start, end) ?? this.#rows;
      this.#hasSyncInCopy = false;
      // DEALLOCATE, DISCARD, CLOSE.
      if (bytes[start] === letter('D') || bytes[start] === letter('C')) {
        const statement = request.statement ?? this.#names.portal(request.name);
        this.#names.completed(commandComplete.decode(bytes, start, end), statement && this.#deallocates.get(statement));
      }
    } else if (type === server.suspended) request.rows += this.#rows;
    else if (type !== server.empty) return;
    this.#rows = 0;
    if (request.kind !== 'execute') return;
    // A portal of an empty text runs nothing.
    if (type !== server.empty) this.#tell(request, request.rows);
    else if (this.#names.portal(request.name) === this.#unrun) this.#unrun = undefined;
    this.#awaited.next();
  }

  /** After an error the server skips everything up to the next Sync; a simple query ends by itself. */
  #failed(request: Request, error: ServerError, wasAnswered: boolean): void {
    this.#rows = 0;
    this.#isCopyIn = false;
    if (request.isRun) {
      if (hasNotRun(request, error, wasAnswered)) request.isTold = true;
      this.#tell(request, request.rows, { failed: error.sqlState });
      request.rows = 0;
    } else {
      const statement = request.kind === 'bound' ? this.#names.prepared(request.of) : request.statement;
      if (statement !== undefined) this.#statements.add(statement, { runs: 0, rows: 0, failed: error.sqlState });
    }
    if (request.kind === 'query' || request.kind === 'call') return;
    const isSkipping = this.#awaited.skipToSync();
    this.#isUnsure = isSkipping && this.#hasSyncInCopy;
    this.#isSkipping = isSkipping && !this.#hasSyncInCopy;
  }

  #ready(isOutsideTransaction: boolean): void {
    this.#isInTransaction = !isOutsideTransaction;
    this.#isUnsure = false;
    const request = this.#awaited.head;
    // The answer to a Sync that was sent among the rows of a COPY, which has failed before the server came to it.
    if (request !== undefined && request.kind !== 'sync' && !request.isAnswered) return;
    this.#hasSyncInCopy = false;
    this.#showUnrun();
    if (request?.isRun === true && (!request.isTold || request.rows > 0)) this.#tell(request, request.rows);
    this.#isCopyIn = false;
    this.#isSkipping = false;
    this.#awaited.next();
    this.#awaited.dropCopyEnds();
    if (isOutsideTransaction) this.#names.transactionEnded();
  }

  #tell(request: Request, rows: number, details: { statement?: TextDigest | undefined; failed?: string } = {}): void {
    const { name } = request;
    const statement =
      request.statement ?? details.statement ?? this.#names.portal(name) ?? this.#digest(`portal ${name}`);
    this.#statements.add(statement, { runs: request.isTold ? 0 : 1, rows, failed: details.failed });
    if (statement === this.#unrun) this.#unrun = undefined;
    request.isTold = true;
  }
}

function wantedOfServer(type: number): number {
  if (type === server.complete) return 64;
  if (type === server.error) return longestError;
  return type === server.ready ? 1 : 0;
}

/** The number of rows at the end of a command tag; undefined for one without. */
function rowsOf(bytes: Buffer, start: number, end: number): number | undefined {
  let rows: number | undefined;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === 0) break;
    if (byte === space) rows = 0;
    else if (rows !== undefined) rows = byte >= zero && byte < zero + 10 ? rows * 10 + byte - zero : undefined;
  }
  return rows;
}
