import type { TextDigest } from '../../audit/entry.ts';
import { FatalError } from '../fatal-error.ts';
import type { MemoryShare } from '../memory.ts';
import type { Conversation } from '../session.ts';
import type { Statements } from '../statements.ts';
import { client, letter, readRequest, textAt, wantedOfClient } from './client-messages.ts';
import { MessageFollower, type OnMessage } from './message-follower.ts';
import { errorResponse, noticeResponse } from './messages.ts';
import { Request, RequestQueue, unexpectedInCopy } from './request-queue.ts';

/** The most prepared statements or portals of one session, and how many characters their texts may have. */
const mostNames = 4096;
const mostText = 16 * 1024 * 1024;
const inCopy = new Set([
  client.copyData,
  client.copyDone,
  client.copyFail,
  client.sync,
  client.flush,
  client.terminate,
]);
const tooManyNames = `the session has more than ${mostNames} prepared statements or portals: close some`;
const tooMuchText = `the prepared statements of the session are longer than ${mostText / 1024 / 1024} MiB: close some`;
const [space, zero, idle] = [letter(' '), letter('0'), letter('I')];
const server = {
  row: letter('D'),
  copyData: letter('d'),
  complete: letter('C'),
  empty: letter('I'),
  suspended: letter('s'),
  error: letter('E'),
  ready: letter('Z'),
  parsed: letter('1'),
  bound: letter('2'),
  closed: letter('3'),
  parameters: letter('t'),
  columns: letter('T'),
  noColumns: letter('n'),
  copyIn: letter('G'),
};
/** What the server says at any time, whatever it was asked: notices, notifications, settings that changed. */
const unasked = new Set([letter('N'), letter('A'), letter('S')]);
/** What a name and its entry take, in bytes. */
const nameBytes = 256;

/**
 * Follows what a client asks of PostgreSQL and what the server answers, while both pass through. Knows which statements the
 * server has run: what it skipped after an error is none.
 */
export class PostgresConversation implements Conversation {
  readonly own = undefined;
  readonly mayRefuseAnswers = false;
  readonly #fromClient: MessageFollower;
  readonly #fromServer: MessageFollower;
  readonly #statements: Statements;
  readonly #digest: (text: string) => TextDigest;
  readonly #memory: MemoryShare;
  readonly #prepared = new Map<string, TextDigest>();
  /** The names that statements of SQL deallocate. */
  readonly #deallocates = new WeakMap<TextDigest, string>();
  /** How many characters of the texts of prepared statements are remembered. */
  #textLength = 0;
  /** By their names; the one without a name is the most frequent by far. */
  readonly #portals = new Map<string, TextDigest>();
  #unnamedPortal: TextDigest | undefined;
  readonly #awaited: RequestQueue;
  #rows = 0;
  #isCopyIn = false;
  /** Whether the client has sent a Sync before the rows of the COPY ended. The server has ignored it, unless the COPY fails first. */
  #hasSyncInCopy = false;
  /** Whether such a COPY has failed: it cannot be told if the server ignores what comes next. */
  #isUnsure = false;
  /** Whether the server ignores what comes before the next Sync, after an error. */
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
    this.#memory = memory;
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

  farewell(error: FatalError): Buffer {
    return errorResponse(error);
  }

  notice(message: string): Buffer {
    return noticeResponse(message);
  }

  tellRunning(): void {
    const { head } = this.#awaited;
    if (head?.isRun !== true) this.#showNext();
    else if (!head.isTold) this.#tell(head, 0);
  }

  /**
   * Shows the statement that runs next, or already does: a server keeps its answers to what came before until the statement is
   * done. It counts as a run when the server has answered.
   */
  #showNext(): void {
    const parsed = new Map<string, TextDigest | undefined>();
    const portals = new Map<string, TextDigest | undefined>();
    for (const request of this.#awaited.all) {
      const { kind, name, of } = request;
      if (kind === 'sync') return;
      if (kind === 'parsed') parsed.set(name, request.statement);
      else if (kind === 'bound') portals.set(name, parsed.get(of) ?? this.#prepared.get(of));
      else if (request.isRun) {
        const statement = request.statement ?? portals.get(name) ?? this.#portal(name);
        if (statement !== undefined && !request.isShown) this.#statements.add(statement, { runs: 0, rows: 0 });
        request.isShown = true;
        return;
      }
    }
  }

  tellRest(): void {
    for (const request of this.#awaited.all) {
      // Not held any more: what is bound to it only has to be recorded.
      if (request.kind === 'parsed') this.#prepared.set(request.name, request.statement as TextDigest);
      else if (request.kind === 'bound') this.#bind(request);
      else if (request.isRun && !request.isTold) this.#tell(request, request.rows);
    }
  }

  #asked(type: number, bytes: Buffer, start: number, end: number): void {
    // A server reads nothing behind Terminate.
    if (this.#hasEnded || (this.#isSkipping && type !== client.sync && type !== client.terminate)) return;
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
    if (type === server.ready) this.#ready(bytes[start] === idle);
    if (type === server.ready || request === undefined || unasked.has(type)) return;
    request.isAnswered = true;
    if (type === server.error) this.#failed(request, sqlStateIn(bytes, start, end));
    else if (type === server.copyIn) {
      const { isOpen, hasSync } = this.#awaited.copyIn();
      this.#isCopyIn = isOpen;
      this.#hasSyncInCopy ||= hasSync;
    } else if (request.isRun) this.#progressed(request, type, bytes, start, end);
    else if (request.kind === 'bound' && type === server.bound) {
      const { size } = this.#portals;
      this.#bind(request);
      this.#memory.add((this.#portals.size - size) * nameBytes);
      if (this.#portals.size > mostNames) throw new FatalError('53400', tooManyNames);
      this.#awaited.next();
    } else if (request.kind === 'described' && (type === server.columns || type === server.noColumns)) {
      this.#awaited.next();
    } else if (request.kind === 'parsed' && type === server.parsed) {
      // It always has one.
      this.#prepare(request.name, request.statement as TextDigest);
      if (this.#prepared.size > mostNames) throw new FatalError('53400', tooManyNames);
      if (this.#textLength > mostText) throw new FatalError('53400', tooMuchText);
      this.#awaited.next();
    } else if (type === server.closed) {
      if (request.kind === 'statement closed') this.#forget(request.name);
      else if (request.kind === 'portal closed') this.#closePortal(request.name);
      else return;
      this.#awaited.next();
    }
  }

  #progressed(request: Request, type: number, bytes: Buffer, start: number, end: number): void {
    if (type === server.complete) {
      request.rows += rowsOf(bytes, start, end) ?? this.#rows;
      this.#hasSyncInCopy = false;
      if (bytes[start] === letter('D')) this.#deallocated(request, textAt(bytes, start, end));
      else if (bytes[start] === letter('C') && textAt(bytes, start, end).startsWith('CLOSE CURSOR'))
        this.#forgetPortals();
    } else if (type === server.suspended) request.rows += this.#rows;
    else if (type !== server.empty) return;
    this.#rows = 0;
    if (request.kind !== 'execute') return;
    this.#tell(request, request.rows);
    this.#awaited.next();
  }

  /** After an error the server skips everything up to the next Sync; a simple query ends by itself. */
  #failed(request: Request, sqlState: string): void {
    this.#rows = 0;
    this.#isCopyIn = false;
    if (request.isRun) {
      this.#tell(request, request.rows, sqlState);
      request.rows = 0;
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
    if (request?.isRun === true && (!request.isTold || request.rows > 0)) this.#tell(request, request.rows);
    this.#isCopyIn = false;
    this.#isSkipping = false;
    this.#awaited.next();
    this.#awaited.dropCopyEnds();
    // Portals end with their transaction.
    if (!isOutsideTransaction) return;
    this.#unnamedPortal = undefined;
    if (this.#portals.size > 0) this.#forgetPortals();
  }

  #tell(request: Request, rows: number, failed?: string): void {
    const statement = request.statement ?? this.#portal(request.name) ?? this.#digest(`portal ${request.name}`);
    this.#statements.add(statement, { runs: request.isTold ? 0 : 1, rows, failed });
    request.isTold = true;
  }

  #prepare(name: string, statement: TextDigest): void {
    this.#forget(name);
    this.#prepared.set(name, statement);
    const { length } = statement.text ?? '';
    this.#textLength += length;
    this.#memory.add(nameBytes + length);
  }

  #forget(name: string): void {
    const statement = this.#prepared.get(name);
    if (statement === undefined) return;
    const { length } = statement.text ?? '';
    this.#prepared.delete(name);
    this.#textLength -= length;
    this.#memory.add(-nameBytes - length);
  }

  /** Statements of SQL close cursors, and open others under their names. */
  #forgetPortals(): void {
    this.#memory.add(-this.#portals.size * nameBytes);
    this.#portals.clear();
  }

  /** @param tag of a command that has completed */
  #deallocated(request: Request, tag: string): void {
    if (!/^(DEALLOCATE|DISCARD ALL)/.test(tag)) return;
    const statement = tag === 'DEALLOCATE' ? (request.statement ?? this.#portal(request.name)) : undefined;
    const name = statement && this.#deallocates.get(statement);
    if (name !== undefined) {
      this.#forget(name);
      return;
    }
    // Among other statements, which may prepare something else under any of the names.
    for (const one of [...this.#prepared.keys()]) this.#forget(one);
    if (tag === 'DISCARD ALL') this.#forgetPortals();
  }

  #portal(name: string): TextDigest | undefined {
    return name === '' ? this.#unnamedPortal : this.#portals.get(name);
  }

  #bind({ name, of }: Request): void {
    const statement = this.#prepared.get(of) ?? this.#digest(`statement ${of}`);
    if (name === '') this.#unnamedPortal = statement;
    else this.#portals.set(name, statement);
  }

  #closePortal(name: string): void {
    if (name === '') this.#unnamedPortal = undefined;
    else if (this.#portals.delete(name)) this.#memory.add(-nameBytes);
  }
}

function wantedOfServer(type: number): number {
  if (type === server.complete) return 64;
  if (type === server.error) return 1024;
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

/**
 * The prepared statement that a text deallocates: drivers make room for others so, under names that they never use again.
 *
 * @returns its bytes, as messages have it; undefined for any other text, also for several statements at once
 */
function deallocated(text: string): string | undefined {
  const [, quoted, plain] = deallocate.exec(text) ?? [];
  const name = quoted?.replaceAll('""', '"') ?? plain?.toLowerCase();
  return name && Buffer.from(name).toString('latin1');
}

const deallocate = /^\s*deallocate\s+(?:prepare\s+)?(?:"((?:[^"]|"")+)"|([\w$\u0080-\uffff]+))\s*;?\s*$/i;

function sqlStateIn(bytes: Buffer, start: number, end: number): string {
  return /\0C([0-9A-Z]{5})\0/.exec(bytes.toString('latin1', start, end))?.[1] ?? '';
}
