import { statSync } from 'node:fs';
import path from 'node:path';
import { StoreUnavailableError } from '../errors.ts';

/** The numbers of files take all 64 bits in some file systems. */
const exact = { bigint: true } as const;

/**
 * Throws unless the file is still the one at its path.
 *
 * @param maybeStored whether something may have been written already, for the error; default false
 * @throws StoreUnavailableError
 */
export type RequireSameFile = (maybeStored?: boolean) => void;

/**
 * Remembers which file is at the path of a store. Call it before you open the store. A process does not notice that its open file
 * was moved, deleted or replaced, and would go on writing to a file that is lost. While a file is open, no other file gets its
 * number.
 *
 * @throws Node's own error if there is no such file
 */
export function identifyFile(file: string): RequireSameFile {
  const absolute = path.resolve(file);
  const opened = statSync(absolute, exact);
  return (maybeStored = false) => {
    let cause: unknown;
    try {
      const stats = statSync(absolute, exact);
      if (stats.ino === opened.ino && stats.dev === opened.dev) return;
    } catch (error) {
      cause = error;
    }
    throw new StoreUnavailableError(
      `the store is not in ${path.dirname(absolute)} any more: the folder was moved, deleted or replaced while it was in use; stop the service, put the folder back or restore a backup, and start it again`,
      { maybeStored, cause },
    );
  };
}
