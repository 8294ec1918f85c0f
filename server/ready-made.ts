import type { Readable } from 'node:stream';

/** An answer that is JSON already. */
export class ReadyMade {
  readonly bytes: Buffer;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

/** An answer that is JSON already, and too large to be held at once. */
export class ReadyStream {
  readonly stream: Readable;
  /** In bytes. */
  readonly length: number;
  constructor(stream: Readable, length: number) {
    this.stream = stream;
    this.length = length;
  }
}
