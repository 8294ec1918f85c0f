import type { ResultWriter } from '../rows/result-writer.ts';
import type { Completion } from '../rows/results.ts';
import { beginRow } from '../rows/row-buffer.ts';
import { CommandError, type OpenSession } from '../session.ts';
import { type FrameBody, frame, frameHeader, type Order } from './run-protocol.ts';
import { spawnChild } from './spawn-child.ts';

const busyTimeout = 5000;

interface Pending {
  writer: ResultWriter | undefined;
  resolve: (completion: Completion | null) => void;
  reject: (error: Error) => void;
}

/** Starts a process for the file, and a transaction in it. `mode=ro` opens the file for reading only. */
export const openSqlite: OpenSession = async (uri, { signal }) => {
  // A listener that is added after the abort would never be called.
  signal.throwIfAborted();
  const { process: child, reason } = spawnChild('run-child');
  let pending: Pending | undefined;
  let ended: Error | undefined;
  let committing = false;

  const settle = (action: (to: Pending) => void): void => {
    const to = pending;
    pending = undefined;
    if (to !== undefined) action(to);
  };
  const end = (error: Error): void => {
    ended ??= error;
    settle(({ reject }) => {
      reject(error);
    });
  };
  const close = (): void => {
    child.kill('SIGKILL');
  };
  const onFrame = (kind: number, body: Buffer): void => {
    if (kind === frame.rows) writeRows(body, pending?.writer);
    else if (kind === frame.columns) pending?.writer?.columns(JSON.parse(body.toString()) as FrameBody['columns']);
    else if (kind === frame.done) {
      settle(({ resolve }) => {
        resolve(JSON.parse(body.toString()) as FrameBody['done']);
      });
    } else {
      settle(({ reject }) => {
        reject(new CommandError(JSON.parse(body.toString()) as FrameBody['failed']));
      });
    }
  };
  child.on('error', end);
  child.on('close', () => {
    end(reason());
  });
  child.stdin.on('error', () => undefined);
  child.stdout.on('data', frameReader(onFrame));

  const ask = (order: Order, writer?: ResultWriter): Promise<Completion | null> => {
    const { promise, resolve, reject } = Promise.withResolvers<Completion | null>();
    if (ended !== undefined) return Promise.reject(ended);
    pending = { writer, resolve, reject };
    child.stdin.write(`${JSON.stringify(order)}\n`);
    return promise;
  };
  const giveUp = (): void => {
    end(signal.reason as Error);
    close();
  };
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    await ask({ open: { file: uri.database, readOnly: uri.parameters['mode'] === 'ro', busyTimeout } });
  } catch (error) {
    close();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
  return {
    execute: async (command, writer, bindings) => {
      writer.control({ pause: () => child.stdout.pause(), resume: () => child.stdout.resume() });
      const completion = await ask({ execute: command, bindings }, writer);
      if (completion !== null) writer.completed(completion);
    },
    commit: async () => {
      committing = true;
      await ask({ commit: true });
    },
    rollback: async () => {
      await ask({ rollback: true });
    },
    // A commit is short, and killing it would leave its outcome unknown.
    interrupt: () => {
      if (!committing) close();
      return Promise.resolve();
    },
    close,
  };
};

/** Copies rows from a frame into the writer, which makes its own chunks. */
function writeRows(body: Buffer, writer: ResultWriter | undefined): void {
  if (writer === undefined || writer.discarding) return;
  const count = body.readUInt32BE(0);
  let at = 4 + count * 4;
  for (let index = 0; index < count; index += 1) {
    const length = body.readUInt32LE(4 + index * 4);
    const buffer = writer.bufferFor(length + 2);
    beginRow(buffer);
    body.copy(buffer.bytes, buffer.end, at, at + length);
    writer.rowDone(buffer, buffer.end + length);
    at += length + 1;
  }
}

/**
 * Splits the output of a child process into frames.
 *
 * @param onFrame gets a frame's kind and its body
 * @returns takes the next chunk
 */
function frameReader(onFrame: (kind: number, body: Buffer) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let have = 0;
  let wanted = frameHeader;
  return (chunk) => {
    parts.push(chunk);
    have += chunk.length;
    if (have < wanted) return;
    let bytes = parts.length === 1 ? chunk : Buffer.concat(parts, have);
    for (wanted = sizeOf(bytes); bytes.length >= wanted; wanted = sizeOf(bytes)) {
      onFrame(bytes[0] ?? 0, bytes.subarray(frameHeader, wanted));
      bytes = bytes.subarray(wanted);
    }
    parts = bytes.length === 0 ? [] : [bytes];
    have = bytes.length;
  };
}

/** The length of the frame that begins here; the length of a header until that is complete. */
function sizeOf(bytes: Buffer): number {
  return bytes.length < frameHeader ? frameHeader : frameHeader + bytes.readUInt32BE(1);
}
