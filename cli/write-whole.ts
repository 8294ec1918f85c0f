import { randomBytes } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { writeDurably } from './write-durably.ts';

/**
 * Writes a file that is never there in part, whether it was there before or not: beside it first, then in its place. Only
 * its owner can read it.
 *
 * @throws the system's errors, after which the file is as it was
 */
export function writeWhole(file: string, text: string): void {
  const beside = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeDurably(beside, Buffer.from(text));
    renameSync(beside, file);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}
