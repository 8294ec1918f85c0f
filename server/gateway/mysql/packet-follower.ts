import { FatalError } from '../../protocols/fatal-error.ts';
import { errorPacket } from '../../protocols/mysql/answers.ts';
import { fullPacket, headerLength } from '../../protocols/mysql/framing.ts';

/** Bytes of a packet that are looked at: what a reply to a command has at most before its texts. */
const headLength = 24;

/** Gets where the beginning of a packet lies, and its whole length. The bytes are valid until it returns. */
export type OnPacket = (bytes: Buffer, start: number, end: number, length: number) => void;

/** Follows the packets of a server, which are passed on as they come. Copies only beginnings that arrive in pieces. */
export class PacketFollower {
  /** The sequence number that the next packet has to have; undefined where no answer is expected. */
  sequence: number | undefined;
  readonly #onPacket: OnPacket;
  readonly #partial = Buffer.alloc(headerLength + headLength);
  #have = 0;
  #skip = 0;
  #isContinued = false;

  constructor(onPacket: OnPacket) {
    this.#onPacket = onPacket;
  }

  /**
   * Bytes of the packet under way that are still to come: of its header, while that is not whole; infinity if the packet
   * continues in another one.
   */
  get rest(): number {
    if (this.#isContinued) return Infinity;
    if (this.#have === 0) return this.#skip;
    if (this.#have < headerLength) return headerLength - this.#have;
    const length = this.#partial.readUIntLE(0, 3);
    return length === fullPacket ? Infinity : headerLength + length - this.#have;
  }

  /** Takes the next chunk. @throws FatalError where the numbers have a gap, and what the function throws */
  take(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, chunk.length - at);
        this.#skip -= skipped;
        at += skipped;
      } else if (this.#have > 0 || chunk.length - at < neededAt(chunk, at)) at += this.#collect(chunk, at);
      else at += this.#pass(chunk, at);
    }
  }

  /** @returns how many bytes are done with */
  #pass(bytes: Buffer, at: number): number {
    const length = bytes.readUIntLE(at, 3);
    const start = at + headerLength;
    const looked = Math.min(length, headLength);
    this.#skip = length - looked;
    const isFirst = !this.#isContinued;
    this.#isContinued = length === fullPacket;
    this.#count(bytes[at + 3] ?? 0, isFirst && bytes[start] === errorPacket.mark);
    if (isFirst) this.#onPacket(bytes, start, start + looked, length);
    return headerLength + looked;
  }

  /** An error may have another number: a server that ends a connection does not wait for a command. */
  #count(sequence: number, isError: boolean): void {
    if (this.sequence === undefined) return;
    if (sequence !== this.sequence && !isError) throw new FatalError('08S01', outOfStep);
    this.sequence = (sequence + 1) & 0xff;
  }

  /** Keeps the beginning of a packet until enough of it has come. @returns how many bytes it took */
  #collect(chunk: Buffer, at: number): number {
    let from = at;
    while (from < chunk.length && this.#have < neededAt(this.#partial.subarray(0, this.#have), 0)) {
      this.#partial[this.#have++] = chunk[from++] ?? 0;
    }
    if (this.#have >= neededAt(this.#partial.subarray(0, this.#have), 0)) {
      this.#have = 0;
      this.#pass(this.#partial, 0);
    }
    return from - at;
  }
}

const outOfStep = 'the gateway lost track of the answers of the server, so it could not record what ran';

/** Returns the bytes of a packet that have to be there, its header included. */
function neededAt(bytes: Buffer, at: number): number {
  return bytes.length - at < headerLength ? headerLength : headerLength + Math.min(bytes.readUIntLE(at, 3), headLength);
}
