import type { Duplex } from 'node:stream';
import { type RawConnection, takeOverConnection } from '../connections/raw-connection.ts';
import type { ResultWriter } from '../rows/result-writer.ts';
import { columnOf, type Field, readField } from './columns.ts';
import { broken, packetReader, queryPacket, readLength } from './packets.ts';
import { type Ending, isEof, moreResults, readEof, readError, readOk } from './replies.ts';
import { textRowEncoder } from './text-row.ts';

/** The complete answer to a command. */
export interface Reply extends Ending {
  /** How many results had rows. */
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
  /** What to do with the next packet. */
  next: (bytes: Buffer, start: number, end: number) => void;
}

/**
 * Takes a connection over from the driver after its log-in. The driver would make objects of every row.
 *
 * @param stream the socket, or TLS on top of it
 * @param extended whether columns are described in MariaDB's form
 */
export function converse(stream: Duplex, extended: boolean): Conversation {
  let pending: Pending | undefined;
  let ended: Error | undefined;

  const finish = (to: Pending, ending: Ending): void => {
    if ((ending.status & moreResults) !== 0) {
      to.next = onHeader(to);
      return;
    }
    pending = undefined;
    to.resolve({ ...ending, results: to.results });
  };
  const onHeader =
    (to: Pending) =>
    (bytes: Buffer, start: number, end: number): void => {
      if (bytes[start] === 0) {
        finish(to, readOk(bytes, start, end));
        return;
      }
      const count = readLength(bytes, start, end).value;
      if (count === undefined || count > mostColumns || to.writer === undefined) throw new Error(broken);
      to.next = onColumns(to, to.writer, count);
    };
  const onColumns = (to: Pending, writer: ResultWriter, count: number) => {
    const fields: Field[] = [];
    return (bytes: Buffer, start: number, end: number): void => {
      if (fields.length < count) {
        fields.push(readField(bytes, start, end, extended));
        return;
      }
      if (!isEof(bytes, start, end)) throw new Error(broken);
      if (to.results > 0) writer.completed({ kind: 'query', updateCount: null });
      to.results += 1;
      writer.columns(fields.map(columnOf));
      to.next = onRows(to, textRowEncoder(fields, writer));
    };
  };
  const onRows =
    (to: Pending, onRow: (bytes: Buffer, start: number, end: number) => void) =>
    (bytes: Buffer, start: number, end: number): void => {
      if (isEof(bytes, start, end)) finish(to, readEof(bytes, start, end));
      else onRow(bytes, start, end);
    };
  const read = packetReader((bytes, start, end) => {
    const to = pending;
    if (bytes[start] === 0xff) {
      const error = readError(bytes, start, end);
      pending = undefined;
      if (to === undefined) ended ??= error;
      else to.reject(error);
    } else if (to !== undefined) to.next(bytes, start, end);
    else throw new Error(broken);
  });
  const end = (reason: Error): void => {
    ended ??= reason;
    pending?.reject(ended);
    pending = undefined;
    stream.destroy();
  };

  const takeChunk = (chunk: Buffer): void => {
    if (ended === undefined) read(chunk);
  };
  return {
    ...takeOverConnection(stream, takeChunk, end),
    ask: (sql, writer) => {
      const { promise, resolve, reject } = Promise.withResolvers<Reply>();
      if (ended !== undefined) return Promise.reject(ended);
      const packet = queryPacket(sql);
      const asked: Pending = { writer, resolve, reject, results: 0, next: () => undefined };
      asked.next = onHeader(asked);
      pending = asked;
      stream.write(packet);
      return promise;
    },
  };
}
