import type { Duplex } from 'node:stream';
import {
  commandComplete,
  dataRow,
  errorResponse,
  type Field,
  parameterStatus,
  readyForQuery,
  rowDescription,
  server,
} from '../../protocols/postgresql/answers.ts';
import { messageReader } from '../../protocols/postgresql/framing.ts';
import { copyFail, sync } from '../../protocols/postgresql/requests.ts';
import { type RawConnection, takeOverConnection } from '../connections/raw-connection.ts';
import { ServerError } from './server-error.ts';

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

/** With its own sync: the server ignores earlier ones while it waits for rows. */
const refuseCopy = Buffer.concat([copyFail.encode('COPY … FROM STDIN is refused: no client can send rows'), sync]);

interface Pending {
  reply: Reply;
  error?: ServerError;
  onRow: OnRow | undefined;
  resolve: (reply: Reply) => void;
  reject: (error: Error) => void;
}

/**
 * Talks to a server that has let the service in.
 *
 * @param stream the socket, or TLS on top of it
 */
export function converse(stream: Duplex): Conversation {
  let encoding: string | undefined;
  let pending: Pending | undefined;
  let ended: Error | undefined;

  const onMessage = (type: number, bytes: Buffer, start: number, end: number): void => {
    if (type === server.row) {
      if (pending?.onRow === undefined) throw new Error('the server sent an unexpected row');
      pending.onRow(bytes, start, end);
    } else if (type === server.parameter) {
      const { name, value } = parameterStatus.decode(bytes, start, end);
      // Only this one is kept: a hostile server may report any number of others.
      if (name === 'client_encoding') encoding = value;
    } else if (pending !== undefined) answer(pending, type, bytes, start, end);
    else if (type === server.error) ended = new ServerError(errorResponse.decode(bytes, start, end));
  };
  const answer = (to: Pending, type: number, bytes: Buffer, start: number, end: number): void => {
    if (type === server.columns) to.reply.fields = rowDescription.decode(bytes, start, end);
    else if (type === server.complete) to.reply.tag = commandComplete.decode(bytes, start, end);
    else if (type === server.error) to.error ??= new ServerError(errorResponse.decode(bytes, start, end));
    else if (type === server.copyIn) stream.write(refuseCopy);
    else if (type === server.copyOut || type === server.copyBoth)
      throw new Error('COPY … TO STDOUT is refused: use SELECT');
    else if (type === server.ready) {
      pending = undefined;
      to.reply.status = readyForQuery.decode(bytes, start);
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

/** Asks, and reads the answer as texts. @returns the cells of the last row; none where there is no row */
export async function askTexts({ ask }: Conversation, request: Buffer): Promise<Reply & { texts: readonly string[] }> {
  let texts: readonly string[] = [];
  const reply = await ask(request, (bytes, start, end) => {
    texts = dataRow.decode(bytes, start, end);
  });
  return { ...reply, texts };
}
