import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CliError } from '../errors.ts';
import { writeDurably } from './write-durably.ts';

/** @throws CliError when a path leads to a pipe or a device, which nothing can take the place of */
export function failUnlessFile(path: string): void {
  if (statSync(path).isFile()) return;
  const remedy = 'give its text on standard input (-)';
  throw new CliError('ERR_NOT_A_FILE', `${path} is no regular file, so nothing was written: ${remedy}`);
}

/**
 * Replaces a file's content in one moment, so that neither a reader nor a power cut ever meets half of it. A symbolic
 * link stays one: what it leads to is replaced. Mode and, where the system lets it, owner are kept.
 *
 * @param before what the file must still have
 * @throws CliError when it has something else by now, and the system's error when it cannot be written
 */
export function replaceFile(file: string, before: Buffer, after: Buffer): void {
  const target = realpathSync(file);
  const { mode, uid, gid } = statSync(target);
  // The folder's permissions would let a file be replaced that its owner has made read-only.
  accessSync(target, constants.W_OK);
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeDurably(temporary, after);
    keepOwner(temporary, uid, gid);
    chmodSync(temporary, mode & 0o7777);
    if (!readFileSync(target).equals(before)) {
      throw new CliError(
        'ERR_FILE_CHANGED',
        `${file} was changed by somebody else meanwhile, and left as it is: run again`,
      );
    }
    renameSync(temporary, target);
  } catch (error) {
    removeIfThere(temporary);
    throw error;
  }
}

/** Only root may give a file away; for anybody else it stays theirs, as with any editor that saves this way. */
function keepOwner(file: string, uid: number, gid: number): void {
  const { uid: own, gid: ownGroup } = statSync(file);
  if (uid === own && gid === ownGroup) return;
  try {
    chownSync(file, uid, gid);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) throw error;
  }
}

function removeIfThere(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
