import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

/** Writes a new file that only its owner can read, and waits until it is on the disk. */
export function writeDurably(file: string, content: Buffer): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    for (let offset = 0; offset < content.length; ) offset += writeSync(descriptor, content, offset);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
