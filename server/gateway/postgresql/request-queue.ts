import type { TextDigest } from '../../audit/entry.ts';
import { FatalError } from '../../protocols/fatal-error.ts';
import type { MemoryShare } from '../memory.ts';

type Kind =
  | 'query'
  | 'call'
  | 'execute'
  | 'parsed'
  | 'bound'
  | 'described'
  | 'statement closed'
  | 'portal closed'
  | 'sync'
  | 'copy end';

/** Bytes that a request takes besides its texts. */
const requestBytes = 200;

/** The longest text that is kept, in characters, so that an error can be compared with it. */
const longestText = 16_384;

/** A request whose answer has not come yet. One class for all kinds: they are made and read for each message. */
export class Request {
  readonly kind: Kind;
  /** The portal, or the prepared statement of one that is parsed or closed. */
  readonly name: string;
  /** The prepared statement of one that is bound. */
  readonly of: string;
  /** Of an `execute`, it follows from the portal when it is the server's turn. */
  readonly statement: TextDigest | undefined;
  /** Of a simple query, unless it is long. The trail may be without texts. */
  readonly text: string | undefined;
  /** True if it runs something. */
  readonly isRun: boolean;
  /** Bytes that it is taken to have. */
  readonly bytes: number;
  rows = 0;
  /** True if the server has said something of it. */
  isAnswered = false;
  isTold = false;
  /** True if the trail has its statement, as one that may be running. */
  isShown = false;

  constructor(kind: Kind, name = '', of = '', statement?: TextDigest, text = '') {
    this.kind = kind;
    this.name = name;
    this.of = of;
    this.statement = statement;
    this.text = text.length <= longestText ? text : undefined;
    this.isRun = kind === 'query' || kind === 'call' || kind === 'execute';
    this.bytes = requestBytes + name.length + of.length + (statement?.text ?? text).length;
  }
}

/** The most requests without an answer. */
const mostAwaited = 4096;

export const unexpectedInCopy = 'the client sent another message in the middle of the rows of a COPY';

/** The requests that the server has not answered yet, in the order of their answers. */
export class RequestQueue {
  readonly #memory: MemoryShare;
  /** Oldest first, from `#first` on. */
  #requests: Request[] = [];
  #first = 0;

  constructor(memory: MemoryShare) {
    this.#memory = memory;
  }

  get isEmpty(): boolean {
    return this.#requests.length === this.#first;
  }

  /** True if the client has to wait before it asks more. */
  get isFull(): boolean {
    return this.#requests.length - this.#first >= mostAwaited;
  }

  /** The request that the server answers next. */
  get head(): Request | undefined {
    return this.#requests[this.#first];
  }

  get all(): readonly Request[] {
    return this.#requests.slice(this.#first);
  }

  /** @throws FatalError where all sessions together hold too much */
  add(request: Request): void {
    this.#memory.add(request.bytes);
    this.#requests.push(request);
  }

  /** Removes the oldest. */
  next(): void {
    if (this.head === undefined) return;
    this.#memory.add(-this.head.bytes);
    this.#first += 1;
    // Now and then, so that it costs nothing to speak of.
    if (this.#first < 64 || this.#first * 2 < this.#requests.length) return;
    this.#requests.splice(0, this.#first);
    this.#first = 0;
  }

  /** Removes what the server skips after an error. @returns whether it goes on skipping, as the next Sync has not come */
  skipToSync(): boolean {
    while (!this.isEmpty && this.head?.kind !== 'sync') this.next();
    return this.isEmpty;
  }

  /** Removes the ends of COPY that the server ignores. */
  dropCopyEnds(): void {
    while (this.head?.kind === 'copy end') this.next();
  }

  /**
   * The server takes rows from now on, and ignores each Sync until the client has sent all.
   *
   * @returns whether their end is still to come, and whether the client has sent a Sync before it
   * @throws FatalError if the client has asked for something else before their end
   */
  copyIn(): { isOpen: boolean; hasSync: boolean } {
    const [head, ...rest] = this.all;
    const end = rest.findIndex(({ kind }) => kind === 'copy end');
    const count = end === -1 ? rest.length : end + 1;
    const dropped = rest.splice(0, count);
    if (dropped.some(({ kind }) => kind !== 'sync' && kind !== 'copy end')) {
      throw new FatalError('08P01', unexpectedInCopy);
    }
    for (const { bytes } of dropped) this.#memory.add(-bytes);
    this.#requests = [...(head === undefined ? [] : [head]), ...rest];
    this.#first = 0;
    return { isOpen: end === -1, hasSync: dropped.some(({ kind }) => kind === 'sync') };
  }
}
