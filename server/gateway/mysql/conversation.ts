import type { TextDigest } from '../../audit/entry.ts';
import { FatalError } from '../../protocols/fatal-error.ts';
import { errorPacket, sessionState } from '../../protocols/mysql/answers.ts';
import { command } from '../../protocols/mysql/requests.ts';
import type { MemoryShare } from '../memory.ts';
import type { Conversation, OwnCommand } from '../protocol.ts';
import type { Statements } from '../statements.ts';
import { Answer, type PreparedAs } from './answer.ts';
import { CommandReader, type OnCommand, type Taken } from './command-reader.ts';
import { longestDecided } from './commands.ts';
import { fatalPacket, unknownCommand } from './errors.ts';
import { findKilled, type ServerId } from './killed-ids.ts';
import { PacketFollower } from './packet-follower.ts';
import { type Prepared, PreparedStatements } from './prepared-statements.ts';
import { asStatement, isRun } from './statement-of.ts';
import type { UserChange } from './user-change.ts';

/** Services of a session besides passing on. */
export interface OwnWays {
  readonly serverId: ServerId;
  readonly change: Pick<UserChange, 'begin' | 'finish'>;
}

/** A command whose answer has not come to its end. */
interface Awaited {
  readonly code: number;
  /** Undefined for a statement that is closed: the server does not answer, and it is closed in its turn. */
  readonly answer: Answer | undefined;
  /** Statement that the trail records; undefined for commands that are no statements. */
  readonly statement: TextDigest | undefined;
  /** Prepared-statement id. It is resolved when it is the server's turn. */
  readonly id: number | undefined;
  /** Bytes that the command has behind its number, as far as they are read. */
  readonly length: number;
  /** True if it prepares a statement that stops the session whose id is its parameter. */
  readonly killsByParameter: boolean;
  /** Bytes of memory that it is taken to have. */
  readonly bytes: number;
  isTold: boolean;
  /** The sequence number of the first packet of the answer. */
  readonly sequence: number;
}

/** The most commands of one session without an answer. */
const mostAwaited = 4096;

const otherUser = 'COM_CHANGE_USER is refused for another user or database: connect again';

/** Bytes that a command without an answer takes besides its text. */
const awaitedBytes = 200;

/** Follows what a client asks of MySQL or MariaDB and what the server answers, while both pass through. */
export class MysqlConversation implements Conversation {
  /** A server can ask for a file of the client. */
  readonly mayRefuseAnswers = true;
  readonly #fromClient: CommandReader;
  readonly #fromServer: PacketFollower;
  readonly #statements: Statements;
  readonly #digest: (text: string) => TextDigest;
  readonly #ways: OwnWays;
  readonly #memory: MemoryShare;
  readonly #prepared: PreparedStatements;
  /** Oldest first. */
  readonly #awaited: Awaited[] = [];
  #ownCommand: OwnCommand | undefined;
  /** The sequence number of the answer to that command, or to the next one. */
  #ownSequence = 1;
  /** That of the answer to what the client sends next: to a command, or to the proof that it was asked for. */
  #nextSequence = 1;
  #status = 0;
  #hasEnded = false;

  /** @param digest how the audit trail shows a statement */
  constructor(statements: Statements, digest: (text: string) => TextDigest, memory: MemoryShare, ways: OwnWays) {
    this.#statements = statements;
    this.#digest = digest;
    this.#memory = memory;
    this.#prepared = new PreparedStatements(memory);
    this.#ways = ways;
    const onCommand: OnCommand = (code, body, sequence) => {
      this.#asked(code, body, sequence);
    };
    this.#fromClient = new CommandReader({
      ...{ onCommand, hold: memory.add, serverId: ways.serverId },
      killsByParameter: (body) => body.length >= 4 && this.#killsByParameter(body.readUInt32LE()),
    });
    this.#fromServer = new PacketFollower((bytes, start, end, length) => {
      this.#answered(bytes, start, end, length);
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get isIdle(): boolean {
    return this.#awaited.length === 0;
  }

  get isAtRest(): boolean {
    return this.isIdle && this.#ownCommand === undefined && (this.#status & sessionState.inTransaction) === 0;
  }

  get isFull(): boolean {
    return this.#awaited.length >= mostAwaited;
  }

  get rest(): number {
    return this.#fromServer.rest;
  }

  get ownCommand(): OwnCommand | undefined {
    return this.#ownCommand;
  }

  ask(chunk: Buffer): Buffer {
    const { pass, local, rest } = this.#fromClient.take(chunk);
    this.#ownCommand = local && { answer: () => this.#answerOwn(local), rest };
    this.#ownSequence = local?.sequence ?? this.#nextSequence;
    return pass;
  }

  answer(chunk: Buffer): void {
    this.#fromServer.take(chunk);
  }

  /** An idle client gets it as the answer to its next command. */
  farewell(error: FatalError): Buffer {
    return fatalPacket(this.#fromServer.sequence ?? this.#ownSequence, error);
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
    for (const request of this.#awaited) {
      // One that runs under a number which the client has guessed is not found by it.
      if (request.code === command.prepare && request.statement !== undefined) {
        this.#statements.add(request.statement, { runs: 0, rows: 0 });
      }
      if (isRun(request) && !request.isTold) this.#tell(request);
    }
  }

  async #answerOwn({ command, body, sequence }: NonNullable<Taken['local']>): Promise<Buffer> {
    const { change } = this.#ways;
    switch (command.kind) {
      case 'refused':
        return errorPacket.encode(sequence, unknownCommand, command.reason);
      case 'change user': {
        const request = change.begin(body, sequence);
        if (request === undefined) return errorPacket.encode(sequence, unknownCommand, otherUser);
        this.#fromClient.expectProof();
        this.#nextSequence = sequence + 2;
        return request;
      }
      case 'proof': {
        this.#nextSequence = 1;
        const answer = await change.finish(body, sequence);
        this.#prepared.forgetAll();
        this.#status = 0;
        return answer;
      }
    }
  }

  /** True if a statement stops the session of its parameter. While one is being prepared, the number for the last one may mean it. */
  #killsByParameter(id: number): boolean {
    const isKill = this.#prepared.find(id)?.killsByParameter === true;
    return isKill && !this.#awaited.some(({ code }) => code === command.prepare);
  }

  #asked(code: number, body: Buffer, sequence: number): void {
    // A server reads nothing behind COM_QUIT.
    if (this.#hasEnded) return;
    if (code === command.quit) this.#hasEnded = true;
    const answer = Answer.to(code, body);
    if (answer === undefined && code !== command.closeStatement) return;
    const statement = this.#statementOf(code, body);
    const bytes = awaitedBytes + (statement?.text?.length ?? 0);
    this.#memory.add(bytes);
    const id = withNumber.has(code) && body.length >= 4 ? body.readUInt32LE(0) : undefined;
    const killsByParameter = code === command.prepare && findKilled(body).byParameter;
    const { length } = body;
    this.#awaited.push({ code, answer, statement, id, length, killsByParameter, bytes, isTold: false, sequence });
    if (this.#awaited.length === 1) this.#begin();
  }

  /** Turns to the oldest command whose answer has not come. */
  #begin(): void {
    for (let head = this.#awaited[0]; head?.code === command.closeStatement; head = this.#awaited[0]) {
      if (head.id !== undefined) this.#prepared.forget(head.id);
      this.#drop(head);
    }
    this.#fromServer.sequence = this.#awaited[0]?.sequence;
  }

  #drop({ bytes }: Awaited): void {
    this.#memory.add(-bytes);
    this.#awaited.shift();
  }

  #statementOf(code: number, body: Buffer): TextDigest | undefined {
    const text = asStatement(code, body);
    return text === undefined ? undefined : this.#digest(text);
  }

  #answered(bytes: Buffer, start: number, end: number, length: number): void {
    const [request] = this.#awaited;
    if (request?.answer === undefined) {
      // Before it closes the connection, a server may say why. The client would take anything else for its next answer: a file too.
      if (bytes[start] === errorPacket.mark) return;
      throw new FatalError('08S01', 'the server sent an answer to nothing that the client asked');
    }
    const learned = request.answer.take(bytes, start, end, length);
    if (learned === undefined) return;
    const { prepared, status, failed, error, isOver } = learned;
    if (prepared !== undefined) this.#wasPrepared(request, prepared);
    if (failed !== undefined && request.code === command.prepare) this.#notPrepared(request, failed);
    if (status !== undefined) this.#finished(request, status);
    if (this.#hasNotRun(request, error)) request.isTold = true;
    if (failed !== undefined && isRun(request)) this.#tell(request, failed);
    if (!isOver) return;
    this.#drop(request);
    this.#begin();
  }

  #wasPrepared({ statement, killsByParameter }: Awaited, { id, parameters }: PreparedAs): void {
    if (statement === undefined) return;
    this.#prepared.add(id, { statement, parameters, killsByParameter });
    // The trail shows it without a run, also where it never runs.
    this.#statements.add(statement, { runs: 0, rows: 0 });
  }

  #notPrepared({ statement }: Awaited, failed: string): void {
    this.#prepared.failed();
    if (statement !== undefined) this.#statements.add(statement, { runs: 0, rows: 0, failed });
  }

  /** True if an error of this number says that the server has not begun with a prepared statement. */
  #hasNotRun({ code, id, length }: Awaited, error: number | undefined): boolean {
    if (error === undefined || id === undefined) return false;
    // Sessions are opened without it. Drivers that send it all the same go on without it.
    if (code === command.executeBulk) return error === unsupported;
    // A procedure may fail with the same error, but then its own statement is known.
    const prepared = this.#prepared.find(id);
    if (prepared === undefined) return error === unknownStatement;
    // So short that the values of its parameters cannot be in it.
    return code === command.execute && length < shortestExecute(prepared);
  }

  #finished(request: Awaited, status: number): void {
    this.#status = status;
    if (request.code === command.resetConnection) this.#prepared.forgetAll();
    if (isRun(request) || request.code === command.initDatabase || (request.answer?.rows ?? 0) > 0) this.#tell(request);
  }

  #tell(request: Awaited, failed?: string): void {
    const { code, id, isTold, answer } = request;
    const prepared =
      id === undefined ? undefined : (this.#prepared.find(id)?.statement ?? this.#digest(`prepared statement ${id}`));
    const statement = request.statement ?? prepared;
    if (statement === undefined || answer === undefined) return;
    const runs = isTold || code === command.fetch ? 0 : 1;
    this.#statements.add(statement, { runs, rows: answer.rows, failed });
    request.isTold = true;
    answer.rows = 0;
  }
}

/** Commands that begin with the number of a prepared statement. */
const withNumber = new Set([command.execute, command.executeBulk, command.fetch, command.closeStatement]);

/** Numbers of errors: there is no prepared statement with the number that the client gave; the command is not supported. */
const [unknownStatement, unsupported] = [1243, 1295];

/** Returns the least bytes of COM_STMT_EXECUTE: number, flags, iterations; one bit for each parameter, and if types follow. */
function shortestExecute({ parameters }: Prepared): number {
  const least = 9 + (parameters === 0 ? 0 : Math.ceil(parameters / 8) + 1);
  return Math.min(least, longestDecided);
}
