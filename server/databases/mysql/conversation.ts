import {
  type Ending,
  eofPacket,
  errorPacket,
  type Field,
  okPacket,
  readField,
  sessionState,
} from '../../protocols/mysql/answers.ts';
import { readLength } from '../../protocols/mysql/fields.ts';
import { broken, packetReader } from '../../protocols/mysql/framing.ts';
import { query } from '../../protocols/mysql/requests.ts';
import { type RawConnection, takeOverConnection } from '../connections/raw-connection.ts';
import { ResultWriter } from '../rows/result-writer.ts';
import type { RowChunk } from '../rows/results.ts';
import { CommandError } from '../session.ts';
import { columnOf } from './columns.ts';
import type { MysqlLogIn } from './log-in.ts';
import { textRowEncoder } from './text-row.ts';

/** The complete answer to a command. */
export interface Reply extends Ending {
  /** Number of results that had rows. */
  results: number;
}

/** MySQL's text protocol on a connection that has logged in. One command at a time. */
export interface Conversation extends RawConnection {
  /**
   * Sends a command and waits for its whole answer.
   *
   * @param writer takes columns and rows; without it there must be none
   * @throws CommandError with the server's message, or the reason why the connection ended
   */
  ask: (sql: string, writer?: ResultWriter) => Promise<Reply>;
}

/** The limit of MySQL and MariaDB. A hostile server that announces more could fill the memory with their descriptions. */
const mostColumns = 4096;

interface Pending {
  writer: ResultWriter | undefined;
  resolve: (reply: Reply) => void;
  reject: (error: Error) => void;
  results: number;
  /** Takes the next packet. */
  next: (bytes: Buffer, start: number, end: number) => void;
}

/** Takes a connection over from the driver after its log-in. The driver would make objects of every row. */
export function converse({ stream, isExtended }: Pick<MysqlLogIn, 'stream' | 'isExtended'>): Conversation {
  const replies = new Replies(isExtended);
  const end = (reason: Error): void => {
    replies.end(reason);
    stream.destroy();
  };
  return {
    ...takeOverConnection(
      stream,
      (chunk) => {
        replies.read(chunk);
      },
      end,
    ),
    ask: (sql, writer) => {
      const packet = query.encode(sql);
      const reply = replies.expect(writer);
      if (!replies.hasEnded) stream.write(packet);
      return reply;
    },
  };
}

/** Asks, and reads the answer as texts. @returns the cells of the last row; none where there is no row */
export async function askTexts({ ask }: Conversation, sql: string): Promise<readonly (string | null)[]> {
  let row = '[]';
  const ignore = (): void => undefined;
  const rows = (_result: number, { bytes }: RowChunk): void => {
    row = bytes.toString();
  };
  const writer = new ResultWriter(
    { started: ignore, columns: ignore, rows, completed: ignore, failed: ignore },
    Infinity,
    ignore,
  );
  await ask(sql, writer);
  writer.completed({ kind: 'query', updateCount: null });
  await writer.settled();
  return JSON.parse(row) as (string | null)[];
}

/** Reads the replies to one command at a time, packet by packet: a header, then columns and rows where it has a result. */
class Replies {
  readonly #extended: boolean;
  readonly #packets: (chunk: Buffer) => void;
  #pending: Pending | undefined;
  #ended: Error | undefined;

  constructor(extended: boolean) {
    this.#extended = extended;
    this.#packets = packetReader((bytes, start, end) => {
      this.#onPacket(bytes, start, end);
    });
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  read(chunk: Buffer): void {
    if (this.#ended === undefined) this.#packets(chunk);
  }

  /** The reply to the command that is sent next. */
  expect(writer: ResultWriter | undefined): Promise<Reply> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const asked: Pending = { writer, resolve, reject, results: 0, next: () => undefined };
    asked.next = this.#header(asked);
    this.#pending = asked;
    return promise;
  }

  /** From now on every command fails with this error, unless there was one before. */
  end(reason: Error): void {
    this.#ended ??= reason;
    this.#pending?.reject(this.#ended);
    this.#pending = undefined;
  }

  #onPacket(bytes: Buffer, start: number, end: number): void {
    const to = this.#pending;
    if (bytes[start] === errorPacket.mark) {
      const failure = new CommandError(errorPacket.decode(bytes, start, end).message);
      this.#pending = undefined;
      if (to === undefined) this.#ended ??= failure;
      else to.reject(failure);
    } else if (to !== undefined) to.next(bytes, start, end);
    else throw new Error(broken);
  }

  #finish(to: Pending, ending: Ending): void {
    if ((ending.status & sessionState.moreResults) !== 0) {
      to.next = this.#header(to);
      return;
    }
    this.#pending = undefined;
    to.resolve({ ...ending, results: to.results });
  }

  #header(to: Pending): Pending['next'] {
    return (bytes, start, end) => {
      if (bytes[start] === 0) {
        this.#finish(to, okPacket.decode(bytes, start, end));
        return;
      }
      const count = readLength(bytes, start, end).value;
      if (count === undefined || count > mostColumns || to.writer === undefined) throw new Error(broken);
      to.next = this.#columns(to, to.writer, count);
    };
  }

  #columns(to: Pending, writer: ResultWriter, count: number): Pending['next'] {
    const fields: Field[] = [];
    return (bytes, start, end) => {
      if (fields.length < count) {
        fields.push(readField(bytes, start, end, this.#extended));
        return;
      }
      if (!eofPacket.isAt(bytes, start, end)) throw new Error(broken);
      if (to.results > 0) writer.completed({ kind: 'query', updateCount: null });
      to.results += 1;
      writer.columns(fields.map(columnOf));
      to.next = this.#rows(to, textRowEncoder(fields, writer));
    };
  }

  #rows(to: Pending, onRow: Pending['next']): Pending['next'] {
    return (bytes, start, end) => {
      if (eofPacket.isAt(bytes, start, end)) this.#finish(to, eofPacket.decode(bytes, start, end));
      else onRow(bytes, start, end);
    };
  }
}
