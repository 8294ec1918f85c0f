import { type FileHandle, mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import type { SpoolWriter } from '../spool.ts';
import { entryBytes, type SpoolFiles } from './layout.ts';

const comma = Buffer.from(',');

/** Appends to the files of a result. Creates them with the first row: a result without rows has no files. */
export function createSpoolWriter(files: SpoolFiles, requireDiskSpace: (bytes: number) => Promise<void>): SpoolWriter {
  let rows: FileHandle | undefined;
  let index: FileHandle | undefined;
  let end = 0;

  return {
    append: async ({ bytes, lengths, count }) => {
      if (rows === undefined) await mkdir(path.dirname(files.rows), { recursive: true, mode: 0o700 });
      await requireDiskSpace(bytes.length);
      rows ??= await open(files.rows, 'ax', 0o600);
      index ??= await open(files.index, 'ax', 0o600);
      const separated = end > 0;
      const ends = Buffer.allocUnsafe(count * entryBytes);
      let at = separated ? end + 1 : end;
      for (let row = 0; row < count; row += 1) {
        if (row > 0) at += 1;
        at += lengths[row] ?? 0;
        writeEnd(ends, row, at);
      }
      // The rows first: an index that is ahead of them would name bytes that are not there.
      await writeAll(rows, separated ? [comma, bytes] : [bytes]);
      await writeAll(index, [ends]);
      end = at;
    },
    close: async () => {
      await rows?.close();
      await index?.close();
    },
  };
}

/** In two halves, since a BigInt for each row would cost more than the rest of the work. */
function writeEnd(ends: Buffer, row: number, at: number): void {
  ends.writeUInt32LE(at % 2 ** 32, row * entryBytes);
  ends.writeUInt32LE(Math.floor(at / 2 ** 32), row * entryBytes + 4);
}

async function writeAll(file: FileHandle, parts: Buffer[]): Promise<void> {
  const expected = parts.reduce((sum, part) => sum + part.length, 0);
  const { bytesWritten } = await file.writev(parts);
  // A partial write means that there is no room for the rest.
  if (bytesWritten < expected) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
}
