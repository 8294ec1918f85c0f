import type { TextDigest } from '../../audit/entry.ts';
import { readLength } from '../../databases/mysql/packets.ts';
import { inTransaction, isEof, moreResults, readEof, readOk } from '../../databases/mysql/replies.ts';
import { FatalError } from '../fatal-error.ts';
import type { MemoryShare } from '../memory.ts';
import type { Conversation, OwnCommand } from '../session.ts';
import type { Statements } from '../statements.ts';
import { CommandReader, type OnCommand } from './command-reader.ts';
import { command, type Local } from './commands.ts';
import { errorPacket, fatalPacket, okPacket, unknownCommand, unknownThread } from './messages.ts';
import { PacketFollower } from './packet-follower.ts';

/** Stops a session of the same person, by the id that its client knows. @returns whether there is one */
export type Kill = (id: number, what: 'QUERY' | 'CONNECTION') => Promise<boolean>;

/** What the server answers: a status, one packet of text, columns without rows, results, rows of a cursor, a prepared statement. */
type Answer = 'status' | 'text' | 'columns' | 'results' | 'rows' | 'prepared';

/** A command whose answer has not come to its end. */
interface Awaited {
  readonly code: number;
  readonly answer: Answer;
  /** What the trail is told of; undefined for commands that are no statements. */
  readonly statement: TextDigest | undefined;
  /** How many bytes it is taken to have. */
  readonly bytes: number;
  /** Where in the answer the server is: what the next packet is. */
  phase: 'first' | 'columns' | 'rows' | 'descriptions';
  /** How many packets the phase still has. */
  left: number;
  rows: number;
  isTold: boolean;
  /** The sequence number of the next packet to the client. */
  sequence: number;
}

const answers: ReadonlyMap<number, Answer> = new Map<number, Answer>([
  [command.initDatabase, 'status'],
  [command.query, 'results'],
  [command.fieldList, 'columns'],
  [command.statistics, 'text'],
  [command.processInfo, 'results'],
  [command.ping, 'status'],
  [command.prepare, 'prepared'],
  [command.execute, 'results'],
  [command.resetStatement, 'status'],
  [command.setOption, 'status'],
  [command.fetch, 'rows'],
  [command.resetConnection, 'status'],
]);

/** The most prepared statements of one session, and the most commands without an answer. */
const [mostPrepared, mostAwaited] = [4096, 4096];

/** What a command without an answer takes besides its text, in bytes. */
const awaitedBytes = 200;

/** A status bit: the rows of the result are fetched by a cursor. */
const cursorExists = 0x40;

/** MariaDB's number for the statement that was prepared last. */
const lastPrepared = 0xffff_ffff;

/** Follows what a client asks of MySQL or MariaDB and what the server answers, while both pass through. */
export class MysqlConversation implements Conversation {
  readonly #fromClient: CommandReader;
  readonly #fromServer: PacketFollower;
  readonly #statements: Statements;
  readonly #digest: (text: string) => TextDigest;
  readonly #kill: Kill;
  readonly #memory: MemoryShare;
  readonly #prepared = new Map<number, TextDigest>();
  #newest: TextDigest | undefined;
  /** Oldest first. */
  readonly #awaited: Awaited[] = [];
  #own: OwnCommand | undefined;
  #status = 0;
  #hasEnded = false;

  /** @param digest how the audit trail shows a statement */
  constructor(statements: Statements, digest: (text: string) => TextDigest, memory: MemoryShare, kill: Kill) {
    this.#statements = statements;
    this.#digest = digest;
    this.#memory = memory;
    this.#kill = kill;
    const asked: OnCommand = (code, body, sequence) => {
      this.#asked(code, body, sequence);
    };
    this.#fromClient = new CommandReader(asked, memory.add);
    this.#fromServer = new PacketFollower((bytes, start, end, length, sequence) => {
      this.#answered(bytes, start, end, length, sequence);
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get isIdle(): boolean {
    return this.#awaited.length === 0;
  }

  get isAtRest(): boolean {
    return this.isIdle && this.#own === undefined && (this.#status & inTransaction) === 0;
  }

  get isFull(): boolean {
    return this.#awaited.length >= mostAwaited;
  }

  get rest(): number {
    return this.#fromServer.rest;
  }

  get own(): OwnCommand | undefined {
    return this.#own;
  }

  ask(chunk: Buffer): Buffer {
    const { pass, local, rest } = this.#fromClient.take(chunk);
    this.#own = local && { answer: () => this.#answerOwn(local.command, local.sequence), rest };
    return pass;
  }

  answer(chunk: Buffer): void {
    this.#fromServer.take(chunk);
  }

  /** An idle client gets it as the answer to its next command. */
  farewell(error: FatalError): Buffer {
    return fatalPacket(this.#awaited[0]?.sequence ?? 1, error);
  }

  /** The protocol has no messages that a client did not ask for. */
  notice(): undefined {
    return undefined;
  }

  tellRunning(): void {
    const [head] = this.#awaited;
    if (head !== undefined && isRun(head) && !head.isTold) this.#tell(head);
  }

  tellRest(): void {
    for (const request of this.#awaited) if (isRun(request) && !request.isTold) this.#tell(request);
  }

  async #answerOwn(command: Local, sequence: number): Promise<Buffer> {
    if (command.kind === 'refused') return errorPacket(sequence, unknownCommand, command.reason);
    if (await this.#kill(command.id, command.of)) return okPacket(sequence);
    return errorPacket(sequence, unknownThread, `Unknown thread id: ${command.id}`);
  }

  #asked(code: number, body: Buffer, sequence: number): void {
    if (code === command.quit) this.#hasEnded = true;
    if (code === command.closeStatement && body.length >= 4) this.#forget(body.readUInt32LE(0));
    const answer = answers.get(code);
    if (answer === undefined) return;
    const statement = this.#statementOf(code, body);
    // The text of a prepared statement is there once.
    const own = code === command.query || code === command.prepare ? (statement?.text?.length ?? 0) : 0;
    const bytes = awaitedBytes + own;
    this.#memory.add(bytes);
    this.#awaited.push({ code, answer, statement, bytes, phase: 'first', left: 0, rows: 0, isTold: false, sequence });
  }

  #statementOf(code: number, body: Buffer): TextDigest | undefined {
    switch (code) {
      case command.query:
        return this.#digest(body.toString());
      case command.prepare:
        this.#newest = this.#digest(body.toString());
        return this.#newest;
      case command.initDatabase:
        return this.#digest(`USE ${body.toString()}`);
      case command.execute:
      case command.fetch: {
        const id = body.length < 4 ? 0 : body.readUInt32LE(0);
        const known = this.#prepared.get(id) ?? (id === lastPrepared ? this.#newest : undefined);
        return known ?? this.#digest(`prepared statement ${id}`);
      }
      default:
        return undefined;
    }
  }

  #answered(bytes: Buffer, start: number, end: number, length: number, sequence: number): void {
    const [request] = this.#awaited;
    // What a server says unasked, it says before it closes the connection.
    if (request === undefined) return;
    request.sequence = (sequence + 1) & 0xff;
    // Most packets by far are rows; only the end of them, an error or a long value begins like this.
    if (request.phase === 'rows' && (bytes[start] ?? 0) < 0xfe) {
      request.rows += 1;
      return;
    }
    const head = bytes.subarray(start, end);
    if (head[0] === 0xff) this.#failed(request, head);
    else if (request.phase === 'first') this.#begun(request, head, length);
    else if (request.phase === 'rows') this.#row(request, head, length);
    else this.#described(request, head, length);
  }

  #begun(request: Awaited, head: Buffer, length: number): void {
    switch (request.answer) {
      case 'status':
        this.#finished(request, statusIn(head, length));
        break;
      case 'text':
        this.#next();
        break;
      case 'columns':
        if (isEof(head, 0, length)) this.#finished(request, statusIn(head, length));
        break;
      case 'rows':
        request.phase = 'rows';
        this.#row(request, head, length);
        break;
      case 'prepared':
        this.#rememberPrepared(request, head);
        break;
      case 'results':
        this.#result(request, head, length);
        break;
    }
  }

  #result(request: Awaited, head: Buffer, length: number): void {
    if (head[0] === 0) {
      const { affectedRows, status } = readOk(head, 0, head.length);
      request.rows += affectedRows;
      this.#ended(request, status);
    } else if (isEof(head, 0, length)) this.#ended(request, statusIn(head, length));
    else {
      const { value } = readLength(head, 0, head.length);
      if (value === undefined) {
        throw new FatalError('0A000', 'the server asks for a file of the client, which is refused (LOAD DATA LOCAL)');
      }
      request.phase = 'columns';
      request.left = value;
    }
  }

  /** Columns of a result, or descriptions of a prepared statement, and the packet that ends them. */
  #described(request: Awaited, head: Buffer, length: number): void {
    request.left -= 1;
    if (request.phase === 'descriptions') {
      if (request.left === 0) this.#next();
    } else if (request.left < 0) {
      const status = statusIn(head, length);
      if ((status & cursorExists) === 0) request.phase = 'rows';
      else this.#ended(request, status);
    }
  }

  #row(request: Awaited, head: Buffer, length: number): void {
    if (isEof(head, 0, length)) this.#ended(request, statusIn(head, length));
    else request.rows += 1;
  }

  #rememberPrepared(request: Awaited, head: Buffer): void {
    if (head.length < 9) throw new Error('the server answered the request to prepare with something else');
    if (request.statement !== undefined) this.#prepare(head.readUInt32LE(1), request.statement);
    if (this.#prepared.size > mostPrepared) {
      throw new FatalError('53400', `the session has more than ${mostPrepared} prepared statements: close some`);
    }
    // Each group ends with a packet of its own.
    const [columns, parameters] = [head.readUInt16LE(5), head.readUInt16LE(7)];
    request.left = (columns > 0 ? columns + 1 : 0) + (parameters > 0 ? parameters + 1 : 0);
    request.phase = 'descriptions';
    if (request.left === 0) this.#next();
  }

  #prepare(id: number, statement: TextDigest): void {
    this.#forget(id);
    this.#memory.add(statement.text?.length ?? 0);
    this.#prepared.set(id, statement);
  }

  #forget(id: number): void {
    this.#memory.add(-(this.#prepared.get(id)?.text?.length ?? 0));
    this.#prepared.delete(id);
  }

  /** A result has ended; another one may follow. */
  #ended(request: Awaited, status: number): void {
    if ((status & moreResults) === 0) this.#finished(request, status);
    else request.phase = 'first';
  }

  #finished(request: Awaited, status: number): void {
    this.#status = status;
    if (request.code === command.resetConnection) for (const id of [...this.#prepared.keys()]) this.#forget(id);
    if (isRun(request) || request.code === command.initDatabase || request.rows > 0) this.#tell(request);
    this.#next();
  }

  #failed(request: Awaited, head: Buffer): void {
    if (isRun(request)) this.#tell(request, head.toString('latin1', 4, 9));
    this.#next();
  }

  #next(): void {
    this.#memory.add(-(this.#awaited.shift()?.bytes ?? 0));
  }

  #tell(request: Awaited, failed?: string): void {
    const { statement, code, isTold, rows } = request;
    if (statement === undefined) return;
    this.#statements.add(statement, { runs: isTold || code === command.fetch ? 0 : 1, rows, failed });
    request.isTold = true;
    request.rows = 0;
  }
}

/** Whether the command runs a statement, which the trail is told of whatever becomes of it. */
function isRun({ code }: Awaited): boolean {
  return code === command.query || code === command.execute;
}

function statusIn(head: Buffer, length: number): number {
  return (isEof(head, 0, length) ? readEof(head, 0, head.length) : readOk(head, 0, head.length)).status;
}
