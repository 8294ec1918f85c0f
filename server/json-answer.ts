import type { Readable } from 'node:stream';

/** An answer as JSON, in bytes. */
export class JsonBytes {
  readonly bytes: Buffer;
  /** True if it repeats the answer to an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
  /** Its entity tag, once it is known. */
  tag: string | undefined;
  constructor(bytes: Buffer, { replayed = false }: { replayed?: boolean } = {}) {
    this.bytes = bytes;
    this.replayed = replayed;
  }
}

/** An answer as JSON that is too large to be held in memory. */
export class JsonStream {
  readonly stream: Readable;
  /** In bytes; undefined if it is not known in advance. */
  readonly length: number | undefined;
  /** Identifies what it is made from, for its entity tag; undefined for no tag. */
  readonly state: string | undefined;
  /** True if the same state always gives the same bytes. */
  readonly isExact: boolean;
  constructor(
    stream: Readable,
    { length, state, isExact = false }: { length?: number; state?: string; isExact?: boolean },
  ) {
    this.stream = stream;
    this.length = length;
    this.state = state;
    this.isExact = isExact;
  }
}
