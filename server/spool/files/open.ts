import type { Spool } from '../spool.ts';
import { diskSpaceCheck } from './disk-space.ts';
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
