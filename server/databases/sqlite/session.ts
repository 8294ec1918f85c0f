import { addAbortListener } from 'node:events';
import type { ResultWriter } from '../rows/result-writer.ts';
import type { Completion } from '../rows/results.ts';
import { beginRow } from '../rows/row-buffer.ts';
import { type Bindings, CommandError, type OpenSession } from '../session.ts';
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
  signal.throwIfAborted();
  const child = new RunChild();
  const opening = addAbortListener(signal, () => {
    child.end(signal.reason as Error);
  });
  try {
    await child.ask({ open: { file: uri.database, readOnly: uri.parameters['mode'] === 'ro', busyTimeout } });
  } catch (error) {
    child.kill();
    throw error;
  } finally {
    opening[Symbol.dispose]();
  }
  let committing = false;
  return {
    execute: (command, writer, bindings) => child.execute(command, writer, bindings),
    commit: async () => {
      committing = true;
      await child.ask({ commit: true });
    },
    rollback: async () => {
      await child.ask({ rollback: true });
    },
    // A commit is short, and killing it would leave its outcome unknown.
    interrupt: () => {
      if (!committing) child.kill();
      return Promise.resolve();
    },
    close: () => {
      child.kill();
    },
  };
};

/** The process that has the file open. It does one order at a time. */
class RunChild {
  readonly #spawned = spawnChild('run-child');
  #pending: Pending | undefined;
  #ended: Error | undefined;

  constructor() {
    const { process: child, reason } = this.#spawned;
    child.on('error', (error) => {
      this.end(error);
    });
    child.on('close', () => {
      this.end(reason());
    });
    child.stdin.on('error', () => undefined);
    child.stdout.on(
      'data',
      frameReader((kind, body) => {
        this.#onFrame(kind, body);
      }),
    );
  }

  /** @returns what came of the order; null where there is nothing to say */
  ask(order: Order, writer?: ResultWriter): Promise<Completion | null> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const { promise, resolve, reject } = Promise.withResolvers<Completion | null>();
    this.#pending = { writer, resolve, reject };
    this.#spawned.process.stdin.write(`${JSON.stringify(order)}\n`);
    return promise;
  }

  async execute(command: string, writer: ResultWriter, bindings: Bindings): Promise<void> {
    const { stdout } = this.#spawned.process;
    writer.control({ pause: () => stdout.pause(), resume: () => stdout.resume() });
    const completion = await this.ask({ execute: command, bindings }, writer);
    if (completion !== null) writer.completed(completion);
  }

  /** From now on every order fails with this error, unless there was one before. */
  end(error: Error): void {
    this.#ended ??= error;
    this.#settle()?.reject(error);
  }

  kill(): void {
    this.#spawned.process.kill('SIGKILL');
  }

  #settle(): Pending | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    return pending;
  }

  #onFrame(kind: number, body: Buffer): void {
    if (kind === frame.rows) writeRows(body, this.#pending?.writer);
    else if (kind === frame.columns)
      this.#pending?.writer?.columns(JSON.parse(body.toString()) as FrameBody['columns']);
    else if (kind === frame.done) this.#settle()?.resolve(JSON.parse(body.toString()) as FrameBody['done']);
    else this.#settle()?.reject(new CommandError(JSON.parse(body.toString()) as FrameBody['failed']));
  }
}

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
