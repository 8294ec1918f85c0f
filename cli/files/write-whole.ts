import { randomBytes } from 'node:crypto';
import { realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { writeDurably } from './write-durably.ts';

/**
 * Writes a file so that it never exists in part: to a temporary file beside it first, then renamed. Only its owner can
 * read it. A symbolic link is kept and its target is replaced. A device or a pipe such as /dev/stdout is written to
 * directly, since a rename would replace it for all programs.
 *
 * @throws the system's errors, after which the file is as it was
 */
export function writeWhole(file: string, text: string): void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile() && !there.isDirectory()) {
    writeFileSync(file, text);
    return;
  }
  const target = there === undefined ? file : realpathSync(file);
  const beside = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeDurably(beside, Buffer.from(text));
    renameSync(beside, target);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}
