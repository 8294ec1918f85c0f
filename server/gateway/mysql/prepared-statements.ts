import type { TextDigest } from '../../audit/entry.ts';
import { FatalError } from '../../protocols/fatal-error.ts';
import type { MemoryShare } from '../memory.ts';

/** The most prepared statements of one session. */
const most = 4096;

/** Bytes that a number and its entry take. */
const entryBytes = 200;

/** MariaDB's number for the statement that was prepared last. */
const lastPrepared = 0xffff_ffff;

/** A statement that the server has prepared. */
export interface Prepared {
  readonly statement: TextDigest;
  /** Number of its parameters. */
  readonly parameters: number;
  /** True if it stops the session whose id is its parameter. */
  readonly killsByParameter: boolean;
}

/** The prepared statements of a session, by the numbers that the server has given them. */
export class PreparedStatements {
  readonly #memory: MemoryShare;
  readonly #all = new Map<number, Prepared>();
  #newest: Prepared | undefined;

  constructor(memory: MemoryShare) {
    this.#memory = memory;
  }

  find(id: number): Prepared | undefined {
    return this.#all.get(id) ?? (id === lastPrepared ? this.#newest : undefined);
  }

  /** @throws FatalError where there are too many */
  add(id: number, prepared: Prepared): void {
    this.forget(id);
    this.#memory.add(bytesOf(prepared));
    this.#all.set(id, prepared);
    this.#newest = prepared;
    if (this.#all.size <= most) return;
    throw new FatalError('53400', `the session has more than ${most} prepared statements: close some`);
  }

  /** A statement could not be prepared: the number for the last one leads to none. */
  failed(): void {
    this.#newest = undefined;
  }

  forget(id: number): void {
    const prepared = this.#all.get(id);
    if (prepared === undefined) return;
    this.#memory.add(-bytesOf(prepared));
    this.#all.delete(id);
  }

  forgetAll(): void {
    for (const id of [...this.#all.keys()]) this.forget(id);
  }
}

function bytesOf({ statement }: Prepared): number {
  return entryBytes + (statement.text?.length ?? 0);
}
