import type { Readable } from 'node:stream';

/** An answer that is JSON already. */
export class JsonBytes {
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
export class JsonStream {
  readonly stream: Readable;
  /** In bytes; undefined where it is not known before. */
  readonly length: number | undefined;
  /** What it is made from, for which its entity tag stands; undefined for no tag. */
  readonly state: string | undefined;
  constructor(stream: Readable, { length, state }: { length?: number; state?: string }) {
    this.stream = stream;
    this.length = length;
    this.state = state;
  }
}
