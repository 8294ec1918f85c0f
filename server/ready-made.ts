import type { Readable } from 'node:stream';

/** An answer that is JSON already. */
export class ReadyMade {
  readonly bytes: Buffer;
  /** Whether it was given before, to the same request with the same Idempotency-Key. */
  readonly replayed: boolean;
  /** Its entity tag, once it is known. */
  tag: string | undefined;
  constructor(bytes: Buffer, { replayed = false }: { replayed?: boolean } = {}) {
    this.bytes = bytes;
    this.replayed = replayed;
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
