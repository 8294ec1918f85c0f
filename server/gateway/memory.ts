import { FatalError } from './fatal-error.ts';

/**
 * How many bytes the sessions of a process may hold together for statements that are arriving, prepared, without an answer, or not
 * in the audit trail yet. Each may hold some 64 MiB, and a person may have a thousand sessions.
 */
const mostHeld = 512 * 1024 * 1024;

/** What all sessions of a process hold. */
export class Memory {
  readonly #most: number;
  #held = 0;

  /** @param most in bytes; for tests */
  constructor(most = mostHeld) {
    this.#most = most;
  }

  /** How many bytes are held. */
  get held(): number {
    return this.#held;
  }

  /** @param bytes more, or fewer if negative @throws FatalError for a session that would hold too much */
  add(bytes: number): void {
    if (bytes > 0 && this.#held + bytes > this.#most) {
      throw new FatalError('53200', 'the gateway holds too many long statements at the moment: try again later');
    }
    this.#held += bytes;
  }

  /** The same for what has to be held, however much there is: others are refused then. */
  hold(bytes: number): void {
    this.#held += bytes;
  }
}

/** What one session holds of it. */
export class MemoryShare {
  readonly #memory: Memory;
  #held = 0;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** @param bytes more, or fewer if negative @throws FatalError; nothing has changed then */
  readonly add = (bytes: number): void => {
    this.#memory.add(bytes);
    this.#held += bytes;
  };

  /** Gives everything back, when the session is over. */
  release(): void {
    this.add(-this.#held);
  }
}
