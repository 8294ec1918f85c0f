import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { JsonBytes, JsonStream } from '../../json-answer.ts';
import { largestPiece, type Page, SpoolGoneError } from '../spool.ts';
import { entryBytes, type SpoolFiles } from './layout.ts';

/**
 * Reads a page of rows as the JSON of the answer: two reads of the index, and one of the rows.
 *
 * @throws SpoolGoneError if the files have been removed
 */
export async function readRows(files: SpoolFiles, page: Page): Promise<JsonBytes | JsonStream> {
  try {
    return await readFiles(files, page);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw new SpoolGoneError();
    throw error;
  }
}

async function readFiles(files: SpoolFiles, { seek, limit, numRows }: Page): Promise<JsonBytes | JsonStream> {
  const last = Math.min(seek + limit, numRows) - 1;
  const { start, end } = await readBounds(files.index, seek, last);
  const file = await open(files.rows, 'r');
  if (end - start > largestPiece) return new JsonStream(streamRows(file, start, end), { length: end - start + 2 });
  try {
    const bytes = Buffer.allocUnsafe(end - start + 2);
    bytes.write('[', 0);
    await readAll(file, bytes.subarray(1, -1), start);
    bytes.write(']', bytes.length - 1);
    return new JsonBytes(bytes);
  } finally {
    await file.close();
  }
}

/** The range of the JSON of some rows. */
async function readBounds(file: string, first: number, last: number): Promise<{ start: number; end: number }> {
  const index = await open(file, 'r');
  try {
    // After the comma that follows the row before.
    const start = first === 0 ? 0 : (await readEnd(index, first - 1)) + 1;
    return { start, end: await readEnd(index, last) };
  } finally {
    await index.close();
  }
}

async function readEnd(index: FileHandle, row: number): Promise<number> {
  const entry = Buffer.allocUnsafe(entryBytes);
  await readAll(index, entry, row * entryBytes);
  return entry.readUInt32LE(0) + entry.readUInt32LE(4) * 2 ** 32;
}

function streamRows(file: FileHandle, start: number, end: number): Readable {
  const stream = Readable.from(pieces(file, start, end), { objectMode: false });
  // Not in the generator: without a reader it would never reach its end.
  stream.once('close', () => {
    file.close().catch(() => undefined);
  });
  return stream;
}

async function* pieces(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  yield Buffer.from('[');
  for (let at = start; at < end; at += largestPiece) {
    const piece = Buffer.allocUnsafe(Math.min(largestPiece, end - at));
    await readAll(file, piece, at);
    yield piece;
  }
  yield Buffer.from(']');
}

async function readAll(file: FileHandle, into: Buffer, position: number): Promise<void> {
  for (let done = 0; done < into.length; ) {
    const { bytesRead } = await file.read(into, done, into.length - done, position + done);
    if (bytesRead === 0) throw new Error('a spooled result is shorter than its index says');
    done += bytesRead;
  }
}
