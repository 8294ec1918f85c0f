import type { Duplex } from 'node:stream';
import { type RawConnection, takeOverConnection } from '../connections/raw-connection.ts';
import { type Field, readRowDescription } from './columns.ts';
import { messageReader, readFields, readText, ServerError } from './messages.ts';
import { copyFail, sync } from './requests.ts';

/** The server's answer to messages, up to the next time it is ready. */
export interface Reply {
  /** I: idle; T: in a transaction; E: in a failed transaction. */
  status: string;
  /** Absent if the statement returns no rows. */
  fields?: Field[];
  /** As in "INSERT 0 5"; absent for a statement of white space. */
  tag?: string;
}

type OnRow = (bytes: Buffer, start: number, end: number) => void;

/** PostgreSQL's protocol on a connection that has logged in. One request at a time. */
export interface Conversation extends RawConnection {
  /**
   * Sends messages. The last one must make the server report when it is ready.
   *
   * @throws ServerError once the server is ready again, or the reason why the connection ended
   */
  ask: (request: Buffer, onRow?: OnRow) => Promise<Reply>;
  /** The encoding of the session's texts, if the server has reported a change. */
  encoding: () => string | undefined;
}

const dataRow = 0x44;
const [rowDescription, commandComplete, errorResponse, ready] = [0x54, 0x43, 0x45, 0x5a];
const [parameterStatus, copyIn, copyOut, copyBoth] = [0x53, 0x47, 0x48, 0x57];

/** With its own sync: the server ignores earlier ones while it waits for rows. */
const refuseCopy = Buffer.concat([copyFail('COPY … FROM STDIN is refused: no client can send rows'), sync]);

interface Pending {
  reply: Reply;
  error?: ServerError;
  onRow: OnRow | undefined;
  resolve: (reply: Reply) => void;
  reject: (error: Error) => void;
}

/**
 * Takes a connection over from the driver after its log-in. The driver would make objects of every row, which takes several
 * times as long as all the rest.
 *
 * @param stream the socket, or TLS on top of it
 */
export function converse(stream: Duplex): Conversation {
  let encoding: string | undefined;
  let pending: Pending | undefined;
  let ended: Error | undefined;

  const onMessage = (type: number, bytes: Buffer, start: number, end: number): void => {
    if (type === dataRow) {
      if (pending?.onRow === undefined) throw new Error('the server sent an unexpected row');
      pending.onRow(bytes, start, end);
    } else if (type === parameterStatus) {
      const name = readText(bytes, start, end);
      // Only this one is kept: a hostile server may report any number of others.
      if (name === 'client_encoding') encoding = readText(bytes, start + Buffer.byteLength(name) + 1, end);
    } else if (pending !== undefined) answer(pending, type, bytes, start, end);
    else if (type === errorResponse) ended = new ServerError(readFields(bytes, start, end));
  };
  const answer = (to: Pending, type: number, bytes: Buffer, start: number, end: number): void => {
    if (type === rowDescription) to.reply.fields = readRowDescription(bytes, start, end);
    else if (type === commandComplete) to.reply.tag = readText(bytes, start, end);
    else if (type === errorResponse) to.error ??= new ServerError(readFields(bytes, start, end));
    else if (type === copyIn) stream.write(refuseCopy);
    else if (type === copyOut || type === copyBoth) throw new Error('COPY … TO STDOUT is refused: use SELECT');
    else if (type === ready) {
      pending = undefined;
      to.reply.status = String.fromCharCode(bytes[start] ?? 0);
      if (to.error === undefined) to.resolve(to.reply);
      else to.reject(to.error);
    }
  };
  const end = (reason: Error): void => {
    ended ??= pending?.error ?? reason;
    pending?.reject(ended);
    pending = undefined;
    stream.destroy();
  };
  const read = messageReader(onMessage);

  const takeChunk = (chunk: Buffer): void => {
    if (ended === undefined || pending !== undefined) read(chunk);
  };
  return {
    ...takeOverConnection(stream, takeChunk, end),
    encoding: () => encoding,
    ask: (request, onRow) => {
      const { promise, resolve, reject } = Promise.withResolvers<Reply>();
      if (ended !== undefined) return Promise.reject(ended);
      pending = { reply: { status: '' }, onRow, resolve, reject };
      stream.write(request);
      return promise;
    },
  };
}
