import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { filesBelow } from './files.ts';

/**
 * Writes SHA256SUMS, which `sha256sum --check` reads in the same folder.
 *
 * @returns its lines
 */
export function writeChecksums(folder: string): string[] {
  const lines = filesBelow(folder).map((name) => `${sha256(path.join(folder, name))}  ${name}`);
  writeFileSync(path.join(folder, 'SHA256SUMS'), `${lines.join('\n')}\n`);
  return lines;
}

/** The SHA-256 of a file, in hexadecimal. */
export function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
