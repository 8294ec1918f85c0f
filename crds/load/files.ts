/** Reads the files of definitions, and says why one cannot be read. */

import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, parse } from 'node:path';
import { brokenLink } from './broken-link.ts';
import { isDefinitionName } from './definition-name.ts';
import { limits } from './limits.ts';
import { PipeSilentError } from './pipe.ts';
import { fileProblem, type Problem, printable } from './problems.ts';
import { nearest } from './suggest.ts';

export const maxFileBytes = limits.fileBytes;

/** The name of standard input among the paths. */
export const standardInput = '-';

/** True if a file can be read again: not standard input, not a pipe. */
export function isRegularFile(file: string): boolean {
  return file !== standardInput && statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * Reads a file to its end.
 *
 * @throws FileTooLargeError before it has read more than `limit` bytes; FileChangedError if the file changed meanwhile
 */
export function readBytes(path: string, limit = maxFileBytes): Buffer {
  const file = openSync(path, 'r');
  try {
    const stats = fstatSync(file);
    if (stats.size > limit) throw new FileTooLargeError();
    const chunks: Buffer[] = [];
    let total = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(Math.max(stats.size - total + 1, 65_536));
      const count = readSync(file, chunk, 0, chunk.length, null);
      if (count === 0) break;
      total += count;
      if (total > limit) throw new FileTooLargeError();
      chunks.push(chunk.subarray(0, count));
    }
    if (stats.isFile()) failIfChanged(stats, fstatSync(file));
    const [only] = chunks;
    return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
  } finally {
    closeSync(file);
  }
}

/** An editor that saves replaces the file, and the old one is read to its end. This finds programs that write into the file itself. */
function failIfChanged(earlier: Stats, later: Stats): void {
  if (earlier.size !== later.size || earlier.mtimeMs !== later.mtimeMs) throw new FileChangedError();
}

export class FileTooLargeError extends Error {
  override name = 'FileTooLargeError';
  readonly code = 'ERR_FILE_TOO_LARGE';
}

export class FileChangedError extends Error {
  override name = 'FileChangedError';
  readonly code = 'ERR_FILE_CHANGED';
}

/** The problem with which an attempt to read a file failed. */
export function readProblem(path: string, error: unknown): Problem {
  if (error instanceof FileTooLargeError) {
    return fileProblem('file_too_large', path, 'the file is larger than 64 MiB', 'Split the file.');
  }
  if (error instanceof FileChangedError) {
    return fileProblem('file_changed', path, 'the file was written while it was read', 'Run the command again.');
  }
  if (error instanceof PipeSilentError) {
    const message = `is a pipe that no one has opened for writing for ${error.seconds} seconds`;
    const remedy = 'Start what writes into it, or give the text on standard input.';
    return fileProblem('file_unreadable', path, message, remedy);
  }
  const code = codeOf(error);
  const link = brokenLink(path);
  if (link !== undefined) {
    return fileProblem(code === 'ENOENT' ? 'file_not_found' : 'file_unreadable', path, link, linkRemedy);
  }
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    const near = nearPath(path);
    const remedy = near === undefined ? 'Correct the path, or leave it out.' : `Did you mean ${printable(near)}?`;
    return fileProblem('file_not_found', path, 'there is no such file or folder', remedy);
  }
  const message = `cannot be read (${reason(error)})`;
  return fileProblem('file_unreadable', path, message, 'Make it readable for the user that runs Rolecall.');
}

const linkRemedy = 'Correct the link, or bring back what it points to, such as a submodule that is not checked out.';

/** A file beside a path that does not exist, with nearly its name. */
function nearPath(path: string): string | undefined {
  try {
    const folder = dirname(path);
    const name = basename(path);
    const names = readdirSync(folder)
      .slice(0, mostNeighbours)
      .filter((other) => other !== name);
    const near = nearest(name, names) ?? names.find((file) => isDefinitionName(file) && parse(file).name === name);
    return near === undefined ? undefined : join(folder, near);
  } catch {
    return undefined;
  }
}

/** Names beside a path that are compared with it, at most. */
const mostNeighbours = 1000;

/** Why a file that a definition names cannot be read, as in "which is not a file"; undefined if it can be. */
export function unreadable(file: string): string | undefined {
  try {
    // A device or a pipe would block, or never end.
    if (!statSync(file).isFile()) return 'is not a file';
    accessSync(file, constants.R_OK);
    return undefined;
  } catch (error) {
    return brokenLink(file) ?? `cannot be read: ${reason(error)}`;
  }
}

/** Why reading failed, in a word or two. */
export function reason(error: unknown): string {
  if (error instanceof FileChangedError) return 'it was written meanwhile';
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'no such file';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'ELOOP') return 'its links go round in a circle';
  return code ?? 'unknown error';
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
