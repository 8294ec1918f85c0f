import { headerLength, type OnMessage } from '../../protocols/postgresql/framing.ts';

/** Size in bytes that a buffer for beginnings of messages may have while it is not in use. */
const mostKept = 1024;

/** No type of a message. */
const none = -1;
const noPlain = { types: [none, none] as const, onPlain: () => undefined };

/**
 * Follows the messages of a stream that is passed on as it comes, from chunk to chunk. Copies only what is wanted of a message
 * that arrives in pieces.
 */
export class MessageFollower {
  readonly #wanted: (type: number, length: number) => number;
  readonly #onMessage: OnMessage;
  readonly #hold: (bytes: number) => void;
  readonly #plain: readonly [number, number];
  readonly #onPlain: (count: number) => void;
  /** The beginning of a message that arrives in pieces. It grows with what arrives: not with the length that a message claims. */
  #head: Buffer = Buffer.alloc(0);
  #have = 0;
  #need = headerLength;
  #skip = 0;

  /**
   * @param wanted how many bytes of the body `onMessage` needs, from the message's type and the length of its body; may throw
   * @param onMessage gets as much of the body as was wanted, before the message ends
   * @param hold is told how many bytes more or fewer it holds of one that arrives in pieces; may throw
   * @param plain types of messages that are only counted, which costs little: `onMessage` is not called for them
   */
  constructor(
    wanted: (type: number, length: number) => number,
    onMessage: OnMessage,
    hold: (bytes: number) => void = () => undefined,
    plain: { types: readonly [number, number]; onPlain: (count: number) => void } = noPlain,
  ) {
    this.#wanted = wanted;
    this.#onMessage = onMessage;
    this.#hold = hold;
    this.#plain = plain.types;
    this.#onPlain = plain.onPlain;
  }

  /** Bytes of the message under way that are still to come: of its header, while that is not whole. */
  get rest(): number {
    if (this.#have === 0) return this.#skip;
    const bodyLength = this.#have < headerLength ? 0 : lengthAt(this.#head, 0);
    return headerLength + bodyLength - this.#have;
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
        const type = chunk[at] ?? 0;
        if (this.#isPlain(type)) {
          at = this.#count(chunk, at);
          continue;
        }
        const length = lengthAt(chunk, at);
        const start = at + headerLength;
        const end = start + Math.min(length, this.#wanted(type, length));
        if (end > chunk.length) at += this.#collect(chunk, at);
        else {
          this.#skip = start + length - end;
          this.#onMessage(type, chunk, start, end);
          at = end;
        }
      }
    }
  }

  #isPlain(type: number): boolean {
    return type === this.#plain[0] || type === this.#plain[1];
  }

  /** Counts messages as far as their headers are there. @returns where it stopped */
  #count(chunk: Buffer, from: number): number {
    const [plainType, otherType] = this.#plain;
    const last = chunk.length - headerLength;
    let [at, count] = [from, 0];
    while (at <= last && (chunk[at] === plainType || chunk[at] === otherType)) {
      at += headerLength + lengthAt(chunk, at);
      count += 1;
    }
    this.#onPlain(count);
    this.#skip = Math.max(0, at - chunk.length);
    return Math.min(at, chunk.length);
  }

  /** Keeps the beginning of a message until what is wanted of it has come. @returns how many bytes it took */
  #collect(chunk: Buffer, at: number): number {
    const taken = Math.min(this.#need - this.#have, chunk.length - at);
    const have = this.#have + taken;
    if (this.#head.length < have) {
      const length = Math.min(this.#need, Math.max(64, have * 2));
      this.#hold(length - this.#head.length);
      const larger = Buffer.allocUnsafe(length);
      this.#head.copy(larger, 0, 0, this.#have);
      this.#head = larger;
    }
    chunk.copy(this.#head, this.#have, at, at + taken);
    this.#have = have;
    if (have < this.#need) return taken;
    const [type, length] = [this.#head[0] ?? 0, lengthAt(this.#head, 0)];
    const wanted = Math.min(length, this.#wanted(type, length));
    if (this.#need === headerLength && wanted > 0) {
      this.#need = headerLength + wanted;
      return taken;
    }
    const head = this.#head;
    [this.#have, this.#need, this.#skip] = [0, headerLength, length - wanted];
    if (head.length > mostKept) {
      this.#head = Buffer.alloc(0);
      this.#hold(-head.length);
    }
    if (this.#isPlain(type)) this.#onPlain(1);
    else this.#onMessage(type, head, headerLength, headerLength + wanted);
    return taken;
  }
}

/** The length of the body of a message that begins there. */
function lengthAt(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32BE(at + 1) - 4;
  if (length < 0) throw new Error('a message is shorter than its length');
  return length;
}
