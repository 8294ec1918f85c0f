import type { TextDigest } from '../../audit/entry.ts';
import { FatalError } from '../fatal-error.ts';
import type { MemoryShare } from '../memory.ts';

/** The most prepared statements of one session. */
const most = 4096;

/** What a number and its entry take, in bytes. */
const entryBytes = 200;

/** MariaDB's number for the statement that was prepared last. */
const lastPrepared = 0xffff_ffff;

/** The prepared statements of a session, by the numbers that the server has given them. */
export class PreparedStatements {
  readonly #memory: MemoryShare;
  readonly #all = new Map<number, TextDigest>();
  #newest: TextDigest | undefined;

  constructor(memory: MemoryShare) {
    this.#memory = memory;
  }

  find(id: number): TextDigest | undefined {
    return this.#all.get(id) ?? (id === lastPrepared ? this.#newest : undefined);
  }

  /** @throws FatalError where there are too many */
  add(id: number, statement: TextDigest): void {
    this.forget(id);
    this.#memory.add(entryBytes + (statement.text?.length ?? 0));
    this.#all.set(id, statement);
    this.#newest = statement;
    if (this.#all.size <= most) return;
    throw new FatalError('53400', `the session has more than ${most} prepared statements: close some`);
  }

  /** A statement could not be prepared: the number for the last one leads to none. */
  failed(): void {
    this.#newest = undefined;
  }

  forget(id: number): void {
    const statement = this.#all.get(id);
    if (statement === undefined) return;
    this.#memory.add(-entryBytes - (statement.text?.length ?? 0));
    this.#all.delete(id);
  }

  forgetAll(): void {
    for (const id of [...this.#all.keys()]) this.forget(id);
  }
}
