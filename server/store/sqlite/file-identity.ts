import { statSync } from 'node:fs';
import path from 'node:path';
import { StoreUnavailableError } from '../errors.ts';

/** The numbers of files take all 64 bits in some file systems. */
const exact = { bigint: true } as const;

/**
 * Throws unless the file is still the one at its path.
 *
 * @param maybeStored whether something was written already, which the error then says; default false
 * @throws StoreUnavailableError
 */
export type RequireSameFile = (maybeStored?: boolean) => void;

/**
 * Remembers which file is at the path of a store, to be called before it is opened. Whoever has a file open does not notice
 * that it was moved, deleted or replaced, and would go on with one that nobody finds again. As long as it is open, no other
 * file gets its number.
 *
 * @throws Node's own error where there is none
 */
export function identifyFile(file: string): RequireSameFile {
  const absolute = path.resolve(file);
  const opened = statSync(absolute, exact);
  return (maybeStored = false) => {
    let cause: unknown;
    try {
      const found = statSync(absolute, exact);
      if (found.ino === opened.ino && found.dev === opened.dev) return;
    } catch (error) {
      cause = error;
    }
    throw new StoreUnavailableError(
      `the store is not in ${path.dirname(absolute)} any more: the folder was moved, deleted or replaced while it was in use; stop the service, put the folder back or restore a backup, and start it again`,
      { maybeStored, cause },
    );
  };
}
