const headerLength = 5;

/** Gets a message by its type, and the beginning of its body, as much as was wanted. The bytes are valid until it returns. */
export type OnMessage = (type: number, head: Buffer, length: number) => void;

/**
 * Follows the messages of a stream that is passed on as it comes, from chunk to chunk. Copies only what is wanted of a message
 * that arrives in pieces.
 */
export class MessageFollower {
  readonly #wanted: (type: number, length: number) => number;
  readonly #onMessage: OnMessage;
  #parts: Buffer[] = [];
  #have = 0;
  #need = headerLength;
  #skip = 0;

  /**
   * @param wanted how many bytes of the body `onMessage` needs, from the message's type and the length of its body; may throw
   * @param onMessage is called before the message ends
   */
  constructor(wanted: (type: number, length: number) => number, onMessage: OnMessage) {
    this.#wanted = wanted;
    this.#onMessage = onMessage;
  }

  /** How many bytes of the message under way are still to come; infinity while only a part of its beginning has come. */
  get rest(): number {
    return this.#have > 0 ? Infinity : this.#skip;
  }

  /** Takes the next chunk. @throws Error if it is not PostgreSQL's protocol; what the functions throw */
  take(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      const left = chunk.length - at;
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, left);
        this.#skip -= skipped;
        at += skipped;
      } else if (this.#have > 0 || left < headerLength) {
        at += this.#collect(chunk, at);
      } else {
        const wanted = this.#wantedOf(chunk, at);
        if (left < headerLength + wanted) at += this.#collect(chunk, at);
        else {
          this.#pass(chunk, at, wanted);
          at += headerLength + wanted;
        }
      }
    }
  }

  #wantedOf(bytes: Buffer, at: number): number {
    const length = bytes.readUInt32BE(at + 1) - 4;
    if (length < 0) throw new Error('a message is shorter than its length');
    return Math.min(length, this.#wanted(bytes[at] ?? 0, length));
  }

  #pass(bytes: Buffer, at: number, wanted: number): void {
    const length = bytes.readUInt32BE(at + 1) - 4;
    this.#skip = length - wanted;
    this.#onMessage(bytes[at] ?? 0, bytes.subarray(at + headerLength, at + headerLength + wanted), length);
  }

  /** Keeps the beginning of a message until what is wanted of it has come. @returns how many bytes it took */
  #collect(chunk: Buffer, at: number): number {
    const part = chunk.subarray(at, at + this.#need - this.#have);
    this.#parts.push(part);
    this.#have += part.length;
    if (this.#have < this.#need) return part.length;
    const head = this.#parts.length === 1 ? part : Buffer.concat(this.#parts);
    const wanted = this.#wantedOf(head, 0);
    if (this.#need === headerLength && wanted > 0) {
      this.#parts = [head];
      this.#need = headerLength + wanted;
      return part.length;
    }
    [this.#parts, this.#have, this.#need] = [[], 0, headerLength];
    this.#pass(head, 0, wanted);
    return part.length;
  }
}
