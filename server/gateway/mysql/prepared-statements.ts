import type { TextDigest } from '../../audit/entry.ts';
import { FatalError } from '../fatal-error.ts';
import type { MemoryShare } from '../memory.ts';

/** The most prepared statements of one session. */
const most = 4096;

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

  /** The client asks to prepare one. It may run it by `lastPrepared` before it has a number. */
  asked(statement: TextDigest): void {
    this.#newest = statement;
  }

  find(id: number): TextDigest | undefined {
    return this.#all.get(id) ?? (id === lastPrepared ? this.#newest : undefined);
  }

  /** @throws FatalError where there are too many */
  add(id: number, statement: TextDigest): void {
    this.forget(id);
    this.#memory.add(statement.text?.length ?? 0);
    this.#all.set(id, statement);
    if (this.#all.size <= most) return;
    throw new FatalError('53400', `the session has more than ${most} prepared statements: close some`);
  }

  forget(id: number): void {
    this.#memory.add(-(this.#all.get(id)?.text?.length ?? 0));
    this.#all.delete(id);
  }

  forgetAll(): void {
    for (const id of [...this.#all.keys()]) this.forget(id);
  }
}
