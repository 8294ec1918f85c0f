import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Executor } from '../store.ts';
import type { SqliteConnection } from './connection.ts';

/** Milliseconds for which a group may hold the event loop before other requests have a turn. */
const longestHold = 10;

/**
 * Runs the statements of a group at once, until they have taken `longestHold`: the next ones then wait for a turn of the event
 * loop. The transaction stays open meanwhile, and no other write begins: its queue waits for the group.
 */
export class PacedExecutor implements Executor {
  readonly db: Executor['db'];
  readonly now: Executor['now'];
  readonly revision = undefined;
  readonly #connection: SqliteConnection;
  #begun = performance.now();
  #waiting: (() => void)[] = [];
  #draining: Promise<void> | undefined;
  #turns = 0;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.db = connection.db;
    this.now = connection.now;
  }

  /** Number of turns of the event loop that the statements have waited for. */
  get turns(): number {
    return this.#turns;
  }

  readonly all: Executor['all'] = (statement, parameters) => {
    if (this.#draining === undefined && !this.#isSpent()) return this.#connection.all(statement, parameters);
    return new Promise((resolve) => {
      this.#waiting.push(() => {
        resolve(Promise.try(() => this.#connection.all(statement, parameters)));
      });
      this.#draining ??= this.#drain();
    });
  };

  /** Waits for the statements that were sent together with one that failed: they must not run after the rollback. */
  async settle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      await nextTurn();
      this.#turns += 1;
      this.#begun = performance.now();
      let done = 0;
      while (done < this.#waiting.length && !this.#isSpent()) this.#waiting[done++]?.();
      this.#waiting.splice(0, done);
    }
    this.#draining = undefined;
  }

  #isSpent(): boolean {
    return performance.now() - this.#begun >= longestHold;
  }
}
