import { randomBytes } from 'node:crypto';
import { realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { writeDurably } from './write-durably.ts';

/**
 * Writes a file that is never there in part, whether it was there before or not: beside it first, then in its place. Only
 * its owner can read it. A symbolic link stays one: what it leads to is replaced. What is no file, such as /dev/stdout
 * or a pipe, is written to, since putting a file in its place would take it away from everybody.
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
