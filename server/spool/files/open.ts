import { statfs } from 'node:fs/promises';
import type { Spool } from '../spool.ts';
import { countSpooledRows, listSpools, removeSpool, spoolFiles } from './layout.ts';
import { readRows } from './reader.ts';
import { createSpoolWriter } from './writer.ts';

/** The spool of one process: files in a folder, created when they are needed. */
export function openFileSpool(root: string): Spool {
  // One check for all results: many small ones fill a disk as a large one does.
  const requireDiskSpace = diskSpaceCheck(root);
  return {
    write: (result) => createSpoolWriter(spoolFiles(root, result), requireDiskSpace),
    read: (result, page) => readRows(spoolFiles(root, result), page),
    count: (result) => countSpooledRows(spoolFiles(root, result)),
    remove: (query) => removeSpool(root, query),
    sweep: async (exists) => {
      for (const query of await listSpools(root)) {
        if (!(await exists(query))) await removeSpool(root, query);
      }
    },
    close: () => Promise.resolve(),
  };
}

/** Bytes that are written between two checks of the disk: a check costs some 20 microseconds. */
const checkedEvery = 1024 * 1024;

/** Bytes that the rows of queries leave free; a tenth of the disk if that is less. */
const mostReserved = 64 * 1024 * 1024;

/**
 * Keeps rows from filling the disk. The store is usually on the same disk, so one large query could block all changes,
 * including its own deletion.
 *
 * @returns call it before you write this many bytes; it throws an error with the code ENOSPC if they have no room
 */
function diskSpaceCheck(folder: string): (bytes: number) => Promise<void> {
  let unchecked = 0;
  return async (bytes) => {
    unchecked += bytes;
    if (unchecked < checkedEvery) return;
    unchecked = 0;
    const { bavail, blocks, bsize } = await statfs(folder);
    if (bavail * bsize - bytes < Math.min(mostReserved, (blocks * bsize) / 10)) {
      throw Object.assign(new Error('the disk is nearly full'), { code: 'ENOSPC' });
    }
  };
}
