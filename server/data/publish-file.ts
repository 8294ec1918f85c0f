import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, unlinkSync } from 'node:fs';
import path from 'node:path';

/** Error codes of file systems without hard links: network shares and memory sticks. */
const hasNoLinks = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);

/** Waits until the disk has a file, or the names in a folder. */
export function flush(file: string): void {
  const descriptor = openSync(file, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Gives a finished file its name, all of it in one moment, and never in place of another.
 *
 * @param draft in the same folder; gone afterwards
 * @throws Node's error with the code EEXIST where the name is taken
 */
export function publishFile(draft: string, file: string): void {
  flush(draft);
  try {
    // To rename would replace what came meanwhile; a link is refused.
    linkSync(draft, file);
    unlinkSync(draft);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && hasNoLinks.has(String(error.code)))) throw error;
    if (existsSync(file)) throw Object.assign(new Error(`${file} exists`), { code: 'EEXIST' });
    renameSync(draft, file);
  }
  flush(path.dirname(file));
}
