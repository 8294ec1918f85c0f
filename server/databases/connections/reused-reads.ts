import type { Socket, SocketConstructorOpts } from 'node:net';

/** How large the buffer is at first, and once it was full, in bytes. */
const [smallBuffer, largeBuffer] = [8 * 1024, 64 * 1024];

/**
 * Reads a socket into the same two buffers again and again. Node otherwise makes a buffer for each read, whose garbage costs more
 * than all else where bytes only pass through. Until `take` is called, bytes go to the readers of the stream, as always.
 */
export class ReusedReads {
  #size = smallBuffer;
  /** What is read into. */
  #buffer = Buffer.allocUnsafeSlow(smallBuffer);
  /** What was read into before. A write over TLS is done only after the next buffer has been asked for, so that one would not do. */
  #spare: Buffer<ArrayBuffer> | undefined;
  #isSpareFree = true;
  #socket: Socket | undefined;
  #read: ((chunk: Buffer) => void) | undefined;
  #isDone: () => boolean = () => true;

  /** For the socket that is to be read so. */
  get options(): SocketConstructorOpts {
    return { onread: { buffer: () => this.#next(), callback: (count) => this.#take(count) } };
  }

  /** @param socket made with the options */
  attach(socket: Socket): void {
    this.#socket = socket;
  }

  /**
   * Gives the bytes to a function from now on.
   *
   * @param read gets bytes that are valid until it returns, or for as long as `isDone` says no
   */
  take(read: (chunk: Buffer) => void, isDone: () => boolean): void {
    this.#read = read;
    this.#isDone = isDone;
  }

  #next(): Buffer<ArrayBuffer> {
    const free = this.#isDone() ? this.#buffer : this.#isSpareFree ? this.#spare : undefined;
    const next = free?.length === this.#size ? free : Buffer.allocUnsafeSlow(this.#size);
    if (next !== this.#buffer) this.#spare = this.#buffer;
    this.#buffer = next;
    return next;
  }

  /** @returns whether to read more */
  #take(count: number): boolean {
    const chunk = this.#buffer.subarray(0, count);
    if (count === smallBuffer) this.#size = largeBuffer;
    // Before these bytes are passed on: only the spare can still be in use.
    this.#isSpareFree = this.#isDone();
    // What the stream has already comes first.
    const isTaken = this.#read !== undefined && this.#socket?.readableLength === 0;
    const goesOn = isTaken ? true : this.#socket?.push(Buffer.from(chunk)) === true;
    if (isTaken) this.#read?.(chunk);
    return goesOn;
  }
}
