import { FatalError } from '../protocols/fatal-error.ts';

/**
 * Bytes that the sessions of a process may hold together for statements that are arriving, prepared, without an answer, or not in
 * the audit trail yet. Each may hold some 64 MiB, and a person may have a thousand sessions.
 */
const mostHeld = 512 * 1024 * 1024;

/** Bytes that every session may hold at any time: else who fills the memory would end everyone's short statements. */
const mostShort = 64 * 1024;

/** Memory that all sessions of a process hold. */
export class Memory {
  readonly #most: number;
  #held = 0;
  /** Bytes of it that the long statements of each person hold. */
  readonly #ofPeople = new Map<string, number>();

  /** @param most in bytes; for tests */
  constructor(most = mostHeld) {
    this.#most = most;
  }

  /** Bytes that are held. */
  get held(): number {
    return this.#held;
  }

  /**
   * @param bytes more, or fewer if negative
   * @param person who may have half of all
   * @throws FatalError for a session that would hold too much
   */
  add(bytes: number, person: string): void {
    const ofPerson = (this.#ofPeople.get(person) ?? 0) + bytes;
    if (bytes > 0 && (this.#held + bytes > this.#most || ofPerson > this.#most / 2)) {
      throw new FatalError('53200', 'the gateway holds too many long statements at the moment: try again later');
    }
    this.#held += bytes;
    if (ofPerson === 0) this.#ofPeople.delete(person);
    else this.#ofPeople.set(person, ofPerson);
  }

  /** The same for what has to be held, however much there is: others are refused then. */
  hold(bytes: number): void {
    this.#held += bytes;
  }
}

/** Share of one session in the memory. */
export class MemoryShare {
  readonly #memory: Memory;
  readonly #person: string;
  #held = 0;

  constructor(memory: Memory, person: string) {
    this.#memory = memory;
    this.#person = person;
  }

  /** @param bytes more, or fewer if negative @throws FatalError; nothing has changed then */
  readonly add = (bytes: number): void => {
    const [heldBefore, held] = [this.#held, this.#held + bytes];
    const long = Math.max(0, held - mostShort) - Math.max(0, heldBefore - mostShort);
    if (long !== 0) this.#memory.add(long, this.#person);
    this.#memory.hold(bytes - long);
    this.#held = held;
  };

  /** Gives everything back, when the session is over. */
  release(): void {
    this.add(-this.#held);
  }
}
