import { statfs } from 'node:fs/promises';

/** How much is written between two looks at the disk, in bytes: to look costs some 20 microseconds. */
const lookedEvery = 1024 * 1024;

/** What the rows of queries leave free, in bytes; a tenth of the disk where that is less. */
const mostReserved = 64 * 1024 * 1024;

/**
 * Keeps rows from taking the last of the disk. The store is mostly on the same one, and one large query would otherwise keep
 * everybody from changing anything until it is deleted, which is a change too.
 *
 * @returns to be called before so many bytes are written; throws an error with the code ENOSPC where they have no room
 */
export function diskSpaceCheck(folder: string): (bytes: number) => Promise<void> {
  let unlooked = 0;
  return async (bytes) => {
    unlooked += bytes;
    if (unlooked < lookedEvery) return;
    unlooked = 0;
    const { bavail, blocks, bsize } = await statfs(folder);
    if (bavail * bsize - bytes < Math.min(mostReserved, (blocks * bsize) / 10)) {
      throw Object.assign(new Error('the disk is nearly full'), { code: 'ENOSPC' });
    }
  };
}
