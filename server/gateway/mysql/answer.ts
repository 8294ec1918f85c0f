import { FatalError } from '../../protocols/fatal-error.ts';
import { eofPacket, errorPacket, okPacket, sessionState } from '../../protocols/mysql/answers.ts';
import { readLength } from '../../protocols/mysql/fields.ts';
import { command } from '../../protocols/mysql/requests.ts';

/**
 * Kinds of answers of the server: a status, one packet of text, columns without rows, one result or several, rows of a cursor, a
 * prepared statement.
 */
type Kind = 'status' | 'text' | 'columns' | 'result' | 'results' | 'rows' | 'prepared';

const kinds: ReadonlyMap<number, Kind> = new Map<number, Kind>([
  [command.initDatabase, 'status'],
  [command.query, 'results'],
  [command.fieldList, 'columns'],
  [command.statistics, 'text'],
  [command.processInfo, 'result'],
  [command.processKill, 'status'],
  [command.ping, 'status'],
  [command.prepare, 'prepared'],
  [command.execute, 'results'],
  [command.resetStatement, 'status'],
  [command.setOption, 'status'],
  [command.fetch, 'rows'],
  [command.resetConnection, 'status'],
  [command.executeBulk, 'results'],
]);

/** The flag of COM_STMT_EXECUTE that asks for a cursor, and where the flags are, behind the number of the statement. */
const [wantsCursor, flagsAt] = [1, 4];

/** The number of the statement that was prepared, and how many parameters it has. */
export interface PreparedAs {
  readonly id: number;
  readonly parameters: number;
}

/** News of a packet, besides that the answer goes on. */
export interface Learned {
  readonly isOver: boolean;
  /** The status of the session at the end. Answers that end without one tell of no statement. */
  readonly status?: number;
  /** The SQLSTATE of the error that is the end. */
  readonly failed?: string;
  /** The number of that error. */
  readonly error?: number | undefined;
  readonly prepared?: PreparedAs;
}

const over: Learned = { isOver: true };

/** Follows the packets of the answer to one command. */
export class Answer {
  /** The rows that came, or that the statement changed, since they were taken last. */
  rows = 0;
  readonly #kind: Kind;
  /** True if the client has asked for a cursor. */
  readonly #mayHaveCursor: boolean;
  /** Kind of the next packet. */
  #phase: 'first' | 'columns' | 'rows' | 'descriptions' = 'first';
  /** Packets that the phase still has. */
  #left = 0;

  /** @param body what comes after the command's number @returns undefined for a command that the server does not answer */
  static to(code: number, body: Buffer): Answer | undefined {
    const kind = kinds.get(code);
    return kind && new Answer(kind, code === command.execute && ((body[flagsAt] ?? 0) & wantsCursor) !== 0);
  }

  private constructor(kind: Kind, mayHaveCursor: boolean) {
    this.#kind = kind;
    this.#mayHaveCursor = mayHaveCursor;
  }

  /**
   * Takes a packet.
   *
   * @param end of what was kept of it
   * @param length of all of it
   * @returns undefined where the answer goes on
   * @throws FatalError
   */
  take(bytes: Buffer, start: number, end: number, length: number): Learned | undefined {
    // Most packets by far are rows; only the end of them, an error or a long value begins like this.
    if (this.#phase === 'rows' && (bytes[start] ?? 0) < 0xfe) {
      this.rows += 1;
      return undefined;
    }
    const head = bytes.subarray(start, end);
    if (head[0] === errorPacket.mark) {
      const { number, sqlState } = errorPacket.decode(head, 0, head.length);
      return { isOver: true, failed: sqlState, error: number };
    }
    if (this.#phase === 'first') return this.#first(head, length);
    return this.#phase === 'rows' ? this.#row(head, length) : this.#described(head, length);
  }

  #first(head: Buffer, length: number): Learned | undefined {
    switch (this.#kind) {
      case 'status':
        return { isOver: true, status: statusIn(head, length) };
      case 'text':
        return over;
      case 'columns':
        if (eofPacket.isAt(head, 0, length)) return { isOver: true, status: statusIn(head, length) };
        this.rows += 1;
        return undefined;
      case 'rows':
        this.#phase = 'rows';
        return this.#row(head, length);
      case 'prepared':
        return this.#preparedAs(head);
      case 'result':
      case 'results':
        return this.#result(head, length);
    }
  }

  #result(head: Buffer, length: number): Learned | undefined {
    if (head[0] === 0) {
      const { affectedRows, status } = okPacket.decode(head, 0, head.length);
      this.rows += affectedRows;
      return this.#resultEnded(status);
    }
    if (eofPacket.isAt(head, 0, length)) return this.#resultEnded(statusIn(head, length));
    const { value } = readLength(head, 0, head.length);
    if (value === undefined) {
      throw new FatalError('0A000', 'the server asks for a file of the client, which is refused (LOAD DATA LOCAL)');
    }
    this.#phase = 'columns';
    this.#left = value;
    return undefined;
  }

  /** Columns of a result, or descriptions of a prepared statement, and the packet that ends them. */
  #described(head: Buffer, length: number): Learned | undefined {
    this.#left -= 1;
    if (this.#phase === 'descriptions') return this.#left === 0 ? over : undefined;
    if (this.#left >= 0) return undefined;
    const status = statusIn(head, length);
    // A result behind which more come is that of a procedure, to which the server gives no cursor.
    if (
      this.#mayHaveCursor &&
      (status & sessionState.cursorExists) !== 0 &&
      (status & sessionState.moreResults) === 0
    ) {
      return { isOver: true, status };
    }
    this.#phase = 'rows';
    return undefined;
  }

  #row(head: Buffer, length: number): Learned | undefined {
    if (eofPacket.isAt(head, 0, length)) return this.#resultEnded(statusIn(head, length));
    this.rows += 1;
    return undefined;
  }

  #preparedAs(head: Buffer): Learned {
    if (head.length < 9) throw new Error('the server answered the request to prepare with something else');
    // Each group ends with a packet of its own.
    const [columns, parameters] = [head.readUInt16LE(5), head.readUInt16LE(7)];
    this.#left = (columns > 0 ? columns + 1 : 0) + (parameters > 0 ? parameters + 1 : 0);
    this.#phase = 'descriptions';
    return { isOver: this.#left === 0, prepared: { id: head.readUInt32LE(1), parameters } };
  }

  /** A result has ended; another one may follow. */
  #resultEnded(status: number): Learned | undefined {
    if (this.#kind !== 'results' || (status & sessionState.moreResults) === 0) return { isOver: true, status };
    this.#phase = 'first';
    return undefined;
  }
}

function statusIn(head: Buffer, length: number): number {
  return (
    eofPacket.isAt(head, 0, length) ? eofPacket.decode(head, 0, head.length) : okPacket.decode(head, 0, head.length)
  ).status;
}
