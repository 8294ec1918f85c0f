import type { EventEmitter } from 'node:events';

/** The stream on which node-postgres listens for a server's bytes, before or after the change to TLS. */
interface Source extends Pick<EventEmitter, 'on'> {
  destroy: (error: Error) => unknown;
}

interface GuardedConnection {
  attachListeners: (source: Source) => void;
}

const errorResponse = 0x45;
const notice = 0x4e;
const headerLength = 5;

/**
 * Protects this process from a hostile server. On some messages pg-protocol's parser throws out of its event listener, which
 * would end the process, and it loops for ever on an error message without an end mark. So every message is checked before the
 * parser sees it, and an error of the parser closes the connection.
 *
 * @param largest the longest message to accept, in bytes; a longer one closes the connection before it is buffered
 */
export function guardConnection(connection: unknown, largest: number): void {
  // Not in the driver's types; hostile.test.ts fails when a new version of it reads its socket in another way.
  const guarded = connection as GuardedConnection;
  const attach = guarded.attachListeners.bind(connection);
  guarded.attachListeners = (source) => {
    attach(guardedSource(source, largest));
  };
}

/** Not an heir of the stream: V8 gives each object that is a prototype a shape of its own, which slows down all that reads streams. */
function guardedSource(source: Source, largest: number): Source {
  const check = messageChecker(largest);
  return {
    on: (event: string, listener: (chunk: Buffer) => void) =>
      source.on(event, event === 'data' ? guardedListener(source, check, listener) : listener),
    destroy: (error) => source.destroy(error),
  };
}

function guardedListener(source: Source, check: (chunk: Buffer) => void, listener: (chunk: Buffer) => void) {
  let broken = false;
  return (chunk: Buffer): void => {
    if (broken) return;
    try {
      check(chunk);
      listener(chunk);
    } catch (error) {
      broken = true;
      source.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  };
}

/**
 * Follows the messages of a stream from chunk to chunk.
 *
 * @returns takes the next chunk; throws if it has a message that the parser does not expect
 */
function messageChecker(largest: number): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let skip = 0;
  return (chunk) => {
    let offset = Math.min(skip, chunk.length);
    skip -= offset;
    if (skip > 0) return;
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (bytes.length - offset >= headerLength) {
      const type = bytes[offset];
      const length = bytes.readUInt32BE(offset + 1);
      if (length < 4 || length > largest) throw new Error('the server does not speak the protocol of PostgreSQL');
      const end = offset + 1 + length;
      if (type === errorResponse || type === notice) {
        if (end > bytes.length) break;
        checkFields(bytes.subarray(offset + headerLength, end));
      }
      offset = Math.min(end, bytes.length);
      skip = end - offset;
    }
    rest = bytes.subarray(offset);
  };
}

/** An error or notice is fields, each a byte and a text that a NUL ends, and then a NUL. */
function checkFields(body: Buffer): void {
  for (let offset = 0; offset < body.length; ) {
    if (body[offset] === 0) return;
    const end = body.indexOf(0, offset + 1);
    if (end === -1) break;
    offset = end + 1;
  }
  throw new Error('the server sent an error message that does not end');
}
