import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

/** Writes a file that is not there yet, for its owner only, and waits until the disk has it. */
export function writeDurably(file: string, content: Buffer): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    for (let offset = 0; offset < content.length; ) offset += writeSync(descriptor, content, offset);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
