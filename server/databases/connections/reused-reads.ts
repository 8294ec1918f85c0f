import { Socket, type SocketConstructorOpts } from 'node:net';
import type { Duplex } from 'node:stream';

/** Sizes of the buffer in bytes: at first, and once it was full. */
const [smallBuffer, largeBuffer] = [8 * 1024, 64 * 1024];

/** The reader of each socket that has one. */
const readers = new WeakMap<Duplex, ReusedReads>();

/**
 * Reads a socket into the same two buffers again and again. Node otherwise makes a buffer for each read, whose garbage costs more
 * than all else where bytes only pass through. Until `take` is called, bytes go to the readers of the stream, as always.
 */
export class ReusedReads {
  #size = smallBuffer;
  /** Buffer for the next reading. */
  #buffer = Buffer.allocUnsafeSlow(smallBuffer);
  /** Bytes of the last reading. Requests are often as long as the one before, and then take as much of the buffer. */
  #chunk = this.#buffer.subarray(0, 0);
  /** Buffer of the reading before. A write over TLS ends only after the next buffer was asked for, so one buffer would not do. */
  #spare: Buffer<ArrayBuffer> | undefined;
  #isSpareFree = true;
  #socket: Socket | undefined;
  #read: ((chunk: Buffer) => void) | undefined;
  #isDone: () => boolean = () => true;

  /** For the socket that is to be read so. */
  get options(): SocketConstructorOpts {
    return { onread: { buffer: () => this.#next(), callback: (count) => this.#take(count) } };
  }

  /** @returns the reader of a stream; undefined for one without, such as TLS on top of a socket */
  static of(stream: Duplex): Pick<ReusedReads, 'take'> | undefined {
    return readers.get(stream);
  }

  /**
   * Moves a connection that a server has just accepted, and not read from, into a socket with a reader.
   */
  static adopt(accepted: Socket): Socket {
    // A socket takes its reader only as it is made, and Node's server makes its sockets without one. Node's types omit the handle.
    const { _handle: handle } = accepted as Socket & { _handle: unknown };
    // Otherwise the connection would be closed with the first socket.
    Object.assign(accepted, { _handle: null });
    const reads = new ReusedReads();
    const socket = new Socket({ ...reads.options, handle } as SocketConstructorOpts);
    reads.attach(socket);
    return socket;
  }

  /** @param socket made with the options */
  attach(socket: Socket): void {
    this.#socket = socket;
    readers.set(socket, this);
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
    const { buffer, length } = this.#chunk;
    if (length !== count || buffer !== this.#buffer.buffer) this.#chunk = this.#buffer.subarray(0, count);
    const chunk = this.#chunk;
    if (count === smallBuffer) this.#size = largeBuffer;
    // Before these bytes are passed on: only the spare can still be in use.
    this.#isSpareFree = this.#isDone();
    // What the stream has already comes first, and a stream that was paused keeps what still comes.
    const isTaken = this.#read !== undefined && this.#socket?.readableLength === 0 && !this.#socket.isPaused();
    const goesOn = isTaken ? true : this.#socket?.push(Buffer.from(chunk)) === true;
    if (isTaken) this.#read?.(chunk);
    return goesOn;
  }
}
