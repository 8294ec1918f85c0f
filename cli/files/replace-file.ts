import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CliError } from '../errors.ts';
import { writeDurably } from './write-durably.ts';

/** @throws CliError when a path leads to a pipe or a device, which cannot be replaced */
export function failUnlessFile(path: string): void {
  if (statSync(path).isFile()) return;
  const remedy = 'give its text on standard input (-)';
  throw new CliError('ERR_NOT_A_FILE', `${path} is not a regular file, so nothing was written: ${remedy}`);
}

/**
 * Replaces a file's content atomically: neither a reader nor a power cut sees half of it. A symbolic link is kept and its
 * target is replaced. The mode is kept, and the owner where the system allows it.
 *
 * @param original the content that the file must still have
 * @throws CliError when it has changed, and the system's error when it cannot be written
 */
export function replaceFile(file: string, original: Buffer, after: Buffer): void {
  const target = realpathSync(file);
  const { mode, uid, gid } = statSync(target);
  // A rename needs only the folder's permission, so a read-only file would be replaced.
  accessSync(target, constants.W_OK);
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeDurably(temporary, after);
    keepOwner(temporary, uid, gid);
    chmodSync(temporary, mode & 0o7777);
    if (!readFileSync(target).equals(original)) {
      throw new CliError(
        'ERR_FILE_CHANGED',
        `${file} changed while the command ran and was left as it is: run the command again`,
      );
    }
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Only root may change the owner; for other users the file becomes theirs, as with editors that save this way. */
function keepOwner(file: string, uid: number, gid: number): void {
  const { uid: owner, gid: group } = statSync(file);
  if (uid === owner && gid === group) return;
  try {
    chownSync(file, uid, gid);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) throw error;
  }
}
