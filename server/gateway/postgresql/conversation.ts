import type { TextDigest } from '../../audit/entry.ts';
import type { Statements } from '../statements.ts';
import { MessageFollower } from './message-follower.ts';
import { FatalError } from './messages.ts';

/** A request whose answer has not come yet. */
type Awaited =
  | { readonly kind: 'sync' | 'copy end' | 'portal described' | 'statement described' }
  | { readonly kind: 'parsed'; readonly name: string; readonly statement: TextDigest }
  | { readonly kind: 'bound'; readonly portal: string; readonly name: string }
  | { readonly kind: 'closed'; readonly of: 'statement' | 'portal'; readonly name: string }
  | Run;

/** A request that runs something. */
interface Run {
  readonly kind: 'query' | 'call' | 'execute';
  /** The portal; empty for the others. */
  readonly portal: string;
  /** Of an `execute`, it follows from the portal when it is the server's turn. */
  readonly statement: TextDigest | undefined;
  rows: number;
  isTold: boolean;
}

/** The longest statement, in bytes: it is held in memory until it has arrived. */
const longestStatement = 64 * 1024 * 1024;
/** How much of a message has the names that it begins with. */
const namesLength = 1024;
/** The most prepared statements or portals of one session, and the most requests without an answer. */
const [mostNames, mostAwaited] = [4096, 4096];

const letter = (text: string): number => text.charCodeAt(0);
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
  readonly #portals = new Map<string, TextDigest>();
  /** Oldest first, from `#first` on. */
  #awaited: Awaited[] = [];
  #first = 0;
  #rows = 0;
  #isCopyIn = false;
  #status = 'I';
  #hasEnded = false;

  /** @param digest how the audit trail shows a statement */
  constructor(statements: Statements, digest: (text: string) => TextDigest) {
    this.#statements = statements;
    this.#digest = digest;
    this.fromClient = new MessageFollower(wantedOfClient, (type, head) => {
      this.#asked(type, head);
    });
    this.fromServer = new MessageFollower(wantedOfServer, (type, head) => {
      this.#answered(type, head);
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
    return this.isIdle && this.#status === 'I';
  }

  /** Whether the client has to wait before it asks more. */
  get isFull(): boolean {
    return this.#awaited.length - this.#first >= mostAwaited;
  }

  /** Tells of the statement that the server works on, if it was not told of yet. */
  tellRunning(): void {
    const head = this.#awaited[this.#first];
    if (head !== undefined && isRun(head) && !head.isTold) this.#tell(head, 0);
  }

  #asked(type: number, head: Buffer): void {
    switch (type) {
      case client.query:
        this.#await(run('query', this.#digest(textAt(head, 0, 'utf8'))));
        break;
      case client.call:
        this.#await(run('call', this.#digest(`function call ${head.readUInt32BE(0)}`)));
        break;
      case client.parse: {
        const name = nameAt(head, 0);
        const text = textAt(head, name.length + 1, 'utf8');
        this.#await({ kind: 'parsed', name, statement: this.#digest(text) });
        break;
      }
      case client.bind: {
        const portal = nameAt(head, 0);
        this.#await({ kind: 'bound', portal, name: nameAt(head, portal.length + 1) });
        break;
      }
      case client.execute:
        this.#await({ ...run('execute', undefined), portal: nameAt(head, 0) });
        break;
      case client.describe:
        this.#await({ kind: head[0] === letter('S') ? 'statement described' : 'portal described' });
        break;
      case client.close:
        this.#await({ kind: 'closed', of: head[0] === letter('S') ? 'statement' : 'portal', name: nameAt(head, 1) });
        break;
      case client.sync:
        // The server ignores it while it takes the rows of a COPY.
        if (!this.#isCopyIn) this.#await({ kind: 'sync' });
        break;
      case client.copyDone:
      case client.copyFail:
        if (this.#isCopyIn) this.#isCopyIn = false;
        else if (!this.isIdle) this.#await({ kind: 'copy end' });
        break;
      case client.terminate:
        this.#hasEnded = true;
        break;
      default:
    }
  }

  #await(request: Awaited): void {
    this.#awaited.push(request);
  }

  #answered(type: number, head: Buffer): void {
    if (type === server.row) {
      this.#rows += 1;
      return;
    }
    this.#dropCopyEnds();
    const request = this.#awaited[this.#first];
    if (type === server.ready) this.#ready(String.fromCharCode(head[0] ?? 0));
    else if (request === undefined) return;
    else if (type === server.error) this.#failed(request, sqlStateIn(head));
    else if (type === server.copyIn) this.#copyIn();
    else if (isRun(request)) this.#progressed(request, type, head);
    else if (request.kind === 'parsed' && type === server.parsed) {
      this.#remember(this.#prepared, request.name, request.statement);
      this.#next();
    } else if (request.kind === 'bound' && type === server.bound) {
      const statement = this.#prepared.get(request.name) ?? this.#digest(`statement ${request.name}`);
      this.#remember(this.#portals, request.portal, statement);
      this.#next();
    } else if (request.kind === 'closed' && type === server.closed) {
      (request.of === 'statement' ? this.#prepared : this.#portals).delete(request.name);
      this.#next();
    } else if (request.kind.endsWith('described') && (type === server.columns || type === server.noColumns)) {
      this.#next();
    }
  }

  #progressed(request: Run, type: number, head: Buffer): void {
    if (type === server.complete) {
      const tag = textAt(head, 0, 'latin1');
      request.rows += Number(/ (\d+)$/.exec(tag)?.[1] ?? this.#rows);
      if (tag === 'DEALLOCATE ALL' || tag === 'DISCARD ALL') this.#prepared.clear();
    } else if (type === server.suspended) request.rows += this.#rows;
    else if (type !== server.empty) return;
    this.#rows = 0;
    if (request.kind !== 'execute') return;
    this.#tell(request, request.rows);
    this.#next();
  }

  /** After an error the server skips everything up to the next Sync; a simple query ends by itself. */
  #failed(request: Awaited, sqlState: string): void {
    this.#rows = 0;
    this.#isCopyIn = false;
    if (isRun(request)) {
      this.#tell(request, request.rows, sqlState);
      request.rows = 0;
    }
    if (request.kind === 'query' || request.kind === 'call') return;
    while (!this.isIdle && this.#awaited[this.#first]?.kind !== 'sync') this.#next();
  }

  #ready(status: string): void {
    this.#status = status;
    const request = this.#awaited[this.#first];
    if (request !== undefined && isRun(request)) {
      if (!request.isTold || request.rows > 0) this.#tell(request, request.rows);
    }
    this.#isCopyIn = false;
    this.#next();
    this.#dropCopyEnds();
    // Portals end with their transaction.
    if (status === 'I') this.#portals.clear();
  }

  /** The server now ignores each Sync until the client has sent all rows. */
  #copyIn(): void {
    const rest = this.#awaited.slice(this.#first + 1);
    const end = rest.findIndex(({ kind }) => kind === 'copy end');
    this.#isCopyIn = end === -1;
    const ignored = end === -1 ? rest.length : end;
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
    if (this.#first < 1024 && this.#first < this.#awaited.length) return;
    this.#awaited = this.#awaited.slice(this.#first);
    this.#first = 0;
  }

  #tell(request: Run, rows: number, failed?: string): void {
    const { statement = this.#portals.get(request.portal) ?? this.#digest(`portal ${request.portal}`) } = request;
    this.#statements.add(statement, { runs: request.isTold ? 0 : 1, rows, failed });
    request.isTold = true;
  }

  #remember(names: Map<string, TextDigest>, name: string, statement: TextDigest): void {
    names.set(name, statement);
    if (names.size <= mostNames) return;
    throw new FatalError('53400', `the session has more than ${mostNames} prepared statements or portals: close some`);
  }
}

function run(kind: Run['kind'], statement: TextDigest | undefined): Run {
  return { kind, portal: '', statement, rows: 0, isTold: false };
}

function isRun(request: Awaited): request is Run {
  return request.kind === 'query' || request.kind === 'call' || request.kind === 'execute';
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
function textAt(bytes: Buffer, start: number, encoding: 'utf8' | 'latin1'): string {
  const stop = bytes.indexOf(0, start);
  return bytes.toString(encoding, start, stop === -1 ? bytes.length : stop);
}

/** A name as its bytes, whatever the encoding of the session is. @throws FatalError if it does not end */
function nameAt(bytes: Buffer, start: number): string {
  const stop = bytes.indexOf(0, start);
  if (stop === -1) throw new FatalError('08P01', 'the client sent a name that does not end, or is too long');
  return bytes.toString('latin1', start, stop);
}

function sqlStateIn(head: Buffer): string {
  return /\0C([0-9A-Z]{5})\0/.exec(head.toString('latin1'))?.[1] ?? '';
}
