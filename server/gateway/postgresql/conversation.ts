import type { TextDigest } from '../../audit/entry.ts';
import { FatalError } from '../fatal-error.ts';
import type { Statements } from '../statements.ts';
import { MessageFollower } from './message-follower.ts';

type Kind =
  | 'query'
  | 'call'
  | 'execute'
  | 'parsed'
  | 'bound'
  | 'described'
  | 'statement closed'
  | 'portal closed'
  | 'sync'
  | 'copy end';

/** A request whose answer has not come yet. One class for all kinds: they are made and read for each message. */
class Request {
  readonly kind: Kind;
  /** The portal, or the prepared statement of one that is parsed or closed. */
  readonly name: string;
  /** The prepared statement of one that is bound. */
  readonly of: string;
  /** Of an `execute`, it follows from the portal when it is the server's turn. */
  readonly statement: TextDigest | undefined;
  /** Whether it runs something. */
  readonly isRun: boolean;
  rows = 0;
  isTold = false;

  constructor(kind: Kind, name = '', of = '', statement?: TextDigest) {
    this.kind = kind;
    this.name = name;
    this.of = of;
    this.statement = statement;
    this.isRun = kind === 'query' || kind === 'call' || kind === 'execute';
  }
}

/** The longest statement, in bytes: it is held in memory until it has arrived. */
const longestStatement = 64 * 1024 * 1024;
/** How much of a message has the names that it begins with. */
const namesLength = 1024;
/** The most prepared statements or portals of one session, and the most requests without an answer. */
const [mostNames, mostAwaited] = [4096, 4096];

const letter = (text: string): number => text.charCodeAt(0);
const [space, zero, idle] = [letter(' '), letter('0'), letter('I')];
const client = {
  query: letter('Q'),
  parse: letter('P'),
  bind: letter('B'),
  describe: letter('D'),
  execute: letter('E'),
  close: letter('C'),
  sync: letter('S'),
  flush: letter('H'),
  call: letter('F'),
  copyData: letter('d'),
  copyDone: letter('c'),
  copyFail: letter('f'),
  terminate: letter('X'),
};
const mostText = 16 * 1024 * 1024;
const inCopy = new Set([
  client.copyData,
  client.copyDone,
  client.copyFail,
  client.sync,
  client.flush,
  client.terminate,
]);
const unexpectedInCopy = 'the client sent another message in the middle of the rows of a COPY';
const tooManyNames = `the session has more than ${mostNames} prepared statements or portals: close some`;
const tooMuchText = `the prepared statements of the session are longer than ${mostText / 1024 / 1024} MiB: close some`;
const withNames = new Set([client.bind, client.describe, client.execute, client.close]);
const withoutBody = new Set([
  client.sync,
  client.flush,
  client.copyData,
  client.copyDone,
  client.copyFail,
  client.terminate,
]);
const server = {
  row: letter('D'),
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

/**
 * Follows what a client asks of PostgreSQL and what the server answers, while both pass through. Knows which statements the
 * server has run: what it skipped after an error is none.
 */
export class Conversation {
  readonly fromClient: MessageFollower;
  readonly fromServer: MessageFollower;
  readonly #statements: Statements;
  readonly #digest: (text: string) => TextDigest;
  readonly #prepared = new Map<string, TextDigest>();
  /** How many characters of the texts of prepared statements are remembered. */
  #textLength = 0;
  /** By their names; the one without a name is the most frequent by far. */
  readonly #portals = new Map<string, TextDigest>();
  #unnamedPortal: TextDigest | undefined;
  /** Oldest first, from `#first` on. */
  #awaited: Request[] = [];
  #first = 0;
  #rows = 0;
  #isCopyIn = false;
  /** Whether the server ignores what comes before the next Sync, after an error. */
  #isSkipping = false;
  #isInTransaction = false;
  #hasEnded = false;

  /** @param digest how the audit trail shows a statement */
  constructor(statements: Statements, digest: (text: string) => TextDigest) {
    this.#statements = statements;
    this.#digest = digest;
    this.fromClient = new MessageFollower(wantedOfClient, (type, bytes, start, end) => {
      this.#asked(type, bytes, start, end);
    });
    this.fromServer = new MessageFollower(wantedOfServer, (type, bytes, start, end) => {
      this.#answered(type, bytes, start, end);
    });
  }

  /** Whether the client has said that it leaves. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether the server has nothing to do. */
  get isIdle(): boolean {
    return this.#awaited.length === this.#first;
  }

  /** Whether the server has nothing to do, and no transaction is open. */
  get isAtRest(): boolean {
    return this.isIdle && !this.#isInTransaction;
  }

  /** Whether the client has to wait before it asks more. */
  get isFull(): boolean {
    return this.#awaited.length - this.#first >= mostAwaited;
  }

  /** Tells of the statement that the server works on, if it was not told of yet. */
  tellRunning(): void {
    const head = this.#awaited[this.#first];
    if (head?.isRun === true && !head.isTold) this.#tell(head, 0);
  }

  /**
   * Tells of what was passed on and has no answer yet, once the session is over: the server may run it all the same. Otherwise a
   * client could leave with its last statement, and the trail would lack it.
   */
  tellRest(): void {
    for (const request of this.#awaited.slice(this.#first)) {
      if (request.kind === 'parsed') this.#prepare(request.name, request.statement as TextDigest);
      else if (request.kind === 'bound') this.#bind(request);
      else if (request.isRun && !request.isTold) this.#tell(request, request.rows);
    }
  }

  #asked(type: number, bytes: Buffer, start: number, end: number): void {
    if (this.#isSkipping && type !== client.sync && type !== client.terminate) return;
    // Servers differ in what they do with another message, so that the answers could no longer be told apart.
    if (this.#isCopyIn && !inCopy.has(type)) throw new FatalError('08P01', unexpectedInCopy);
    switch (type) {
      case client.query:
        this.#await(new Request('query', '', '', this.#expect(textAt(bytes, start, end))));
        break;
      case client.call:
        if (end - start < 4) throw new FatalError('08P01', 'the client sent a function call that is too short');
        this.#await(new Request('call', '', '', this.#digest(`function call ${bytes.readUInt32BE(start)}`)));
        break;
      case client.parse: {
        const name = nameAt(bytes, start, end);
        const statement = this.#expect(textAt(bytes, start + name.length + 1, end));
        this.#await(new Request('parsed', name, '', statement));
        break;
      }
      case client.bind: {
        const portal = nameAt(bytes, start, end);
        this.#await(new Request('bound', portal, nameAt(bytes, start + portal.length + 1, end)));
        break;
      }
      case client.execute:
        this.#await(new Request('execute', nameAt(bytes, start, end)));
        break;
      case client.describe:
        this.#await(new Request('described'));
        break;
      case client.close: {
        const kind = bytes[start] === letter('S') ? 'statement closed' : 'portal closed';
        this.#await(new Request(kind, nameAt(bytes, start + 1, end)));
        break;
      }
      case client.sync:
        this.#isSkipping = false;
        // The server ignores it while it takes the rows of a COPY.
        if (!this.#isCopyIn) this.#await(new Request('sync'));
        break;
      case client.copyDone:
      case client.copyFail:
        if (this.#isCopyIn) this.#isCopyIn = false;
        else if (!this.isIdle) this.#await(new Request('copy end'));
        break;
      case client.terminate:
        this.#hasEnded = true;
        break;
      default:
    }
  }

  #expect(text: string): TextDigest {
    const statement = this.#digest(text);
    this.#statements.expect(statement);
    return statement;
  }

  #await(request: Request): void {
    this.#awaited.push(request);
  }

  #answered(type: number, bytes: Buffer, start: number, end: number): void {
    if (type === server.row) {
      this.#rows += 1;
      return;
    }
    this.#dropCopyEnds();
    const request = this.#awaited[this.#first];
    if (type === server.ready) this.#ready(bytes[start] === idle);
    else if (request === undefined) return;
    else if (type === server.error) this.#failed(request, sqlStateIn(bytes, start, end));
    else if (type === server.copyIn) this.#copyIn();
    else if (request.isRun) this.#progressed(request, type, bytes, start, end);
    else if (request.kind === 'bound' && type === server.bound) {
      this.#bind(request);
      if (this.#portals.size > mostNames) throw new FatalError('53400', tooManyNames);
      this.#next();
    } else if (request.kind === 'described' && (type === server.columns || type === server.noColumns)) {
      this.#next();
    } else if (request.kind === 'parsed' && type === server.parsed) {
      // It always has one.
      this.#prepare(request.name, request.statement as TextDigest);
      if (this.#prepared.size > mostNames) throw new FatalError('53400', tooManyNames);
      if (this.#textLength > mostText) throw new FatalError('53400', tooMuchText);
      this.#next();
    } else if (type === server.closed) {
      if (request.kind === 'statement closed') this.#forget(request.name);
      else if (request.kind === 'portal closed') this.#closePortal(request.name);
      else return;
      this.#next();
    }
  }

  #progressed(request: Request, type: number, bytes: Buffer, start: number, end: number): void {
    if (type === server.complete) {
      request.rows += rowsOf(bytes, start, end) ?? this.#rows;
      if (endsPrepared(bytes, start, end)) for (const name of [...this.#prepared.keys()]) this.#forget(name);
    } else if (type === server.suspended) request.rows += this.#rows;
    else if (type !== server.empty) return;
    this.#rows = 0;
    if (request.kind !== 'execute') return;
    this.#tell(request, request.rows);
    this.#next();
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
    while (!this.isIdle && this.#awaited[this.#first]?.kind !== 'sync') this.#next();
    this.#isSkipping = this.isIdle;
  }

  #ready(isOutsideTransaction: boolean): void {
    this.#isInTransaction = !isOutsideTransaction;
    const request = this.#awaited[this.#first];
    if (request?.isRun === true && (!request.isTold || request.rows > 0)) this.#tell(request, request.rows);
    this.#isCopyIn = false;
    this.#isSkipping = false;
    this.#next();
    this.#dropCopyEnds();
    // Portals end with their transaction.
    if (!isOutsideTransaction) return;
    this.#unnamedPortal = undefined;
    if (this.#portals.size > 0) this.#portals.clear();
  }

  /** The server now ignores each Sync until the client has sent all rows. */
  #copyIn(): void {
    const rest = this.#awaited.slice(this.#first + 1);
    const end = rest.findIndex(({ kind }) => kind === 'copy end');
    this.#isCopyIn = end === -1;
    const ignored = end === -1 ? rest.length : end;
    if (rest.some(({ kind }, index) => index < ignored && kind !== 'sync')) {
      throw new FatalError('08P01', unexpectedInCopy);
    }
    const kept = rest.filter(({ kind }, index) => index > ignored || (index < ignored && kind !== 'sync'));
    this.#awaited = [...this.#awaited.slice(this.#first, this.#first + 1), ...kept];
    this.#first = 0;
  }

  #dropCopyEnds(): void {
    while (this.#awaited[this.#first]?.kind === 'copy end') this.#next();
  }

  #next(): void {
    if (this.isIdle) return;
    this.#first += 1;
    // Now and then, so that it costs nothing to speak of.
    if (this.#first < 64 || this.#first * 2 < this.#awaited.length) return;
    this.#awaited.splice(0, this.#first);
    this.#first = 0;
  }

  #tell(request: Request, rows: number, failed?: string): void {
    const portal = request.name === '' ? this.#unnamedPortal : this.#portals.get(request.name);
    const statement = request.statement ?? portal ?? this.#digest(`portal ${request.name}`);
    this.#statements.add(statement, { runs: request.isTold ? 0 : 1, rows, failed });
    request.isTold = true;
  }

  #prepare(name: string, statement: TextDigest): void {
    this.#forget(name);
    this.#prepared.set(name, statement);
    this.#textLength += statement.text?.length ?? 0;
  }

  #forget(name: string): void {
    this.#textLength -= this.#prepared.get(name)?.text?.length ?? 0;
    this.#prepared.delete(name);
  }

  #bind({ name, of }: Request): void {
    const statement = this.#prepared.get(of) ?? this.#digest(`statement ${of}`);
    if (name === '') this.#unnamedPortal = statement;
    else this.#portals.set(name, statement);
  }

  #closePortal(name: string): void {
    if (name === '') this.#unnamedPortal = undefined;
    else this.#portals.delete(name);
  }
}

function wantedOfClient(type: number, length: number): number {
  if (type === client.query || type === client.parse) {
    if (length <= longestStatement) return length;
    throw new FatalError('54000', `a statement is longer than ${longestStatement / 1024 / 1024} MiB: send it in parts`);
  }
  if (withNames.has(type)) return namesLength;
  if (type === client.call) return 4;
  if (withoutBody.has(type)) return 0;
  throw new FatalError('08P01', `the client sent a message of the unknown type ${type}`);
}

function wantedOfServer(type: number): number {
  if (type === server.complete) return 64;
  if (type === server.error) return 1024;
  return type === server.ready ? 1 : 0;
}

/** The text from here to its NUL, or to the end. */
function textAt(bytes: Buffer, start: number, end: number): string {
  const stop = bytes.indexOf(0, start);
  return bytes.toString('utf8', start, stop === -1 ? end : Math.min(stop, end));
}

/** A name as its bytes, whatever the encoding of the session is. @throws FatalError if it does not end */
function nameAt(bytes: Buffer, start: number, end: number): string {
  if (start < end && bytes[start] === 0) return '';
  const stop = start < end ? bytes.indexOf(0, start) : -1;
  if (stop === -1 || stop >= Math.min(end, start + namesLength)) {
    throw new FatalError('08P01', 'the client sent a name that does not end, or is too long');
  }
  return bytes.toString('latin1', start, stop);
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

/** Whether a command tag says that all prepared statements are gone. */
function endsPrepared(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[start] !== letter('D')) return false;
  const tag = textAt(bytes, start, end);
  return tag === 'DEALLOCATE ALL' || tag === 'DISCARD ALL';
}

function sqlStateIn(bytes: Buffer, start: number, end: number): string {
  return /\0C([0-9A-Z]{5})\0/.exec(bytes.toString('latin1', start, end))?.[1] ?? '';
}
