import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Store } from '../store/store.ts';
import { StoreClock } from '../store-clock.ts';
import { readAccessVersion, selectAccessFacts } from './facts.ts';
import { type SourceFacts, selectPersonAccess } from './person-access.ts';
import { type Denial, type Facts, type Reach, reachAt } from './reach.ts';

export interface GateOptions {
  readonly store: Pick<Store, 'read'>;
  /** Default: a clock of its own. */
  readonly clock?: StoreClock;
  /** Reports that the store cannot be read, once for each outage. The gate keeps trying. */
  readonly onError: (error: unknown) => void;
}

/** An open statement, stream or session, which ends with its person's access. */
export interface Passage {
  /** The answer at entry. The passage is open only if it is allowed. */
  readonly reach: Reach;
  /** Call it when the statement, stream or session is over: its end is not reported after that. */
  leave(): void;
}

/** One data source of a person, and the answer of the gate. */
export interface SourceAccess extends Pick<SourceFacts, 'source' | 'grants'> {
  readonly reach: Reach;
}

/** The data sources that a person reaches, reached lately or will reach. */
export interface PersonAccess {
  /** The moment of the answer, by the store's clock, in milliseconds since 1970. */
  readonly readAt: number;
  readonly sources: readonly SourceAccess[];
  /** True if these are all. */
  readonly isComplete: boolean;
}

/** A person and a data source with open passages. */
interface Pair {
  readonly person: string;
  readonly dataSource: string;
  readonly passages: Set<(denial: Denial) => void>;
  facts: Facts | undefined;
  /** Readings are numbered, so that one that comes late does not undo a newer one. */
  lastRead: number;
  /** The version of the store that the gate knew when it began to read the facts: they are no older. */
  version: number;
  /** The access that the passages go by begins here. Only a clock that is set back comes before it. */
  since: number;
  until: number;
  confirming: boolean;
}

/** Milliseconds after which the gate asks the store for changes again, while it has passages. */
const pollMs = 200;

/** Milliseconds that the gate waits for the store to confirm an end that is due. */
const confirmMs = 300;

/** Milliseconds for which a person's access still lists a permission that has ended. */
const toldOfMs = 30 * 86_400_000;

/** Milliseconds by which a measurement of the store's clock may be late: no access that just began ends by it. */
const clockErrorMs = 40;

/** Greatest age of a measurement of the store's clock by which an access ends, in milliseconds. */
const freshClockMs = 10;

/** Pairs that are read before other work gets its turn. */
const pairsATurn = 200;

/**
 * The only place that decides who reaches what. A door asks it before each statement and each page of rows, and enters a
 * passage for what stays open. The gate ends a passage at the instant its access ends, by the store's clock, and when a
 * change on any replica takes the access away.
 *
 * If the store cannot be read, `reach` and `enter` fail, so nothing new is allowed. Open passages end at their known end.
 */
export class Gate {
  readonly #store: Pick<Store, 'read'>;
  readonly #onError: (error: unknown) => void;
  readonly #clock: StoreClock;
  readonly #pairs = new Map<string, Pair>();
  #reads = 0;
  #version = Number.NaN;
  #look: Promise<void> | undefined;
  #lookedAt = -Infinity;
  #storeIsAway = false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ store, onError, clock = new StoreClock() }: GateOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#onError = onError;
  }

  /**
   * Decides whether a person reaches a data source now, until when, and through what.
   *
   * @param person the person's id
   * @param dataSource the data source's id
   * @throws StoreUnavailableError
   */
  async reach(person: string, dataSource: string): Promise<Reach> {
    return reachAt(await this.#readFacts(person, dataSource), this.#clock.now());
  }

  /**
   * Decides over all data sources of a person in one reading, or over one of them.
   *
   * @param dataSource the data source's id; default: all
   * @throws StoreUnavailableError
   */
  async reachAll(person: string, dataSource?: string): Promise<PersonAccess> {
    return this.#store.read(async (executor) => {
      await this.#clock.refresh(executor);
      const readAt = this.#clock.now();
      const after = new Date(readAt - toldOfMs).toISOString();
      const { sources, isComplete } = await selectPersonAccess(executor, { person, dataSource, after });
      const decided = sources.map((facts) => ({ ...facts, reach: reachAt(facts, readAt) }));
      return { readAt, sources: decided, isComplete };
    });
  }

  /**
   * Decides like `reach`, and opens a passage if the access is allowed.
   *
   * @param onEnd called once when the access ends, unless the passage was left before; never before this call returns
   * @throws StoreUnavailableError
   */
  async enter(person: string, dataSource: string, onEnd: (denial: Denial) => void): Promise<Passage> {
    const number = ++this.#reads;
    // A look that comes meanwhile does not know of this pair.
    const version = this.#version;
    const facts = await this.#readFacts(person, dataSource);
    const reach = reachAt(facts, this.#clock.now());
    if (!reach.allowed || this.#closed) return { reach, leave: () => undefined };
    const pair = this.#pairOf(person, dataSource, version);
    // A function of its own for each passage: two may share one callback.
    const end = (denial: Denial): void => {
      onEnd(denial);
    };
    pair.passages.add(end);
    this.#learn(pair, number, facts);
    this.#schedule();
    return {
      reach,
      leave: () => {
        pair.passages.delete(end);
        this.#forget(pair);
      },
    };
  }

  /**
   * Looks at once for what has ended: after the process stood still, it knows of no change, and no timer has run.
   *
   * @throws StoreUnavailableError
   */
  async recheck(): Promise<void> {
    await this.#readChanges();
    for (const pair of this.#pairs.values()) {
      if (pair.facts !== undefined) this.#learn(pair, pair.lastRead, pair.facts);
    }
  }

  /** Stops reporting ends, and waits for running reads. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#pairs.clear();
    await this.#look;
  }

  #pairOf(person: string, dataSource: string, version: number): Pair {
    const key = keyOf(person, dataSource);
    let pair = this.#pairs.get(key);
    if (pair === undefined) {
      // The first is read at this moment.
      if (this.#pairs.size === 0) this.#lookedAt = performance.now();
      pair = {
        person,
        dataSource,
        passages: new Set(),
        facts: undefined,
        lastRead: 0,
        version,
        since: 0,
        until: 0,
        confirming: false,
      };
      this.#pairs.set(key, pair);
    }
    return pair;
  }

  #forget(pair: Pair): void {
    if (pair.passages.size > 0) return;
    const key = keyOf(pair.person, pair.dataSource);
    if (this.#pairs.get(key) === pair) this.#pairs.delete(key);
  }

  async #readFacts(person: string, dataSource: string, clockAgeMs?: number): Promise<Facts> {
    return this.#store.read(async (executor) => {
      await this.#clock.refresh(executor, clockAgeMs);
      return selectAccessFacts(executor, person, dataSource);
    });
  }

  /** Takes over the new state of a pair, and ends its passages if they are no longer allowed. */
  #learn(pair: Pair, number: number, facts: Facts): void {
    if (number < pair.lastRead) return;
    pair.lastRead = number;
    pair.facts = facts;
    const reach = reachAt(facts, this.#clock.now());
    if (!reach.allowed) {
      this.#end(pair, reach);
      return;
    }
    pair.since = Math.min(...reach.through.map(({ from }) => from));
    pair.until = reach.until;
  }

  #end(pair: Pair, denial: Denial): void {
    const passages = [...pair.passages];
    pair.passages.clear();
    this.#forget(pair);
    for (const end of passages) end(denial);
  }

  /** Wakes at the next end, and at the next look: so no timer is ever longer than the pause between two looks. */
  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#closed || this.#pairs.size === 0) return;
    // From the last look on: those who come in all the time would put the next one off for ever.
    let next = this.#look === undefined ? this.#lookedAt + pollMs - performance.now() : pollMs;
    const now = this.#clock.now();
    for (const { until, confirming } of this.#pairs.values()) if (!confirming) next = Math.min(next, until - now);
    this.#timer = setTimeout(
      () => {
        this.#wake();
      },
      Math.max(0, Math.ceil(next)),
    );
    this.#timer.unref();
  }

  #wake(): void {
    const now = this.#clock.now();
    for (const pair of this.#pairs.values()) {
      const isOver = pair.until <= now || now < pair.since - clockErrorMs;
      if (isOver && !pair.confirming) void this.#confirmEnd(pair);
    }
    if (performance.now() - this.#lookedAt >= pollMs) {
      this.#look ??= this.#lookForChanges().finally(() => {
        this.#look = undefined;
        this.#schedule();
      });
    }
    this.#schedule();
  }

  /**
   * Another grant may have come to cover the end, and the clock may have been set back since the last look. A store that
   * does not answer in time covers nothing.
   */
  async #confirmEnd(pair: Pair): Promise<void> {
    pair.confirming = true;
    const number = ++this.#reads;
    const reading = this.#readFacts(pair.person, pair.dataSource, freshClockMs).catch(() => undefined);
    const late = new Promise<undefined>((resolve) => {
      setTimeout(resolve, confirmMs, undefined).unref();
    });
    const facts = await Promise.race([reading, late]);
    pair.confirming = false;
    if (this.#closed) return;
    if (facts !== undefined) this.#learn(pair, number, facts);
    else if (pair.facts !== undefined) this.#learn(pair, pair.lastRead, pair.facts);
    this.#schedule();
  }

  async #lookForChanges(): Promise<void> {
    try {
      await this.#readChanges();
      this.#storeIsAway = false;
    } catch (error) {
      if (!this.#storeIsAway) this.#onError(error);
      this.#storeIsAway = true;
    } finally {
      this.#lookedAt = performance.now();
    }
  }

  async #readChanges(): Promise<void> {
    // At once: on a busy machine, each wait for the store is long.
    const [version] = await this.#store.read((executor) =>
      Promise.all([readAccessVersion(executor), this.#clock.measure(executor)]),
    );
    await this.#readOlderThan(version);
    this.#version = version;
  }

  async #readOlderThan(version: number): Promise<void> {
    const pairs = [...this.#pairs.values()].filter((pair) => pair.version !== version);
    for (let start = 0; start < pairs.length; start += pairsATurn) {
      const some = pairs.slice(start, start + pairsATurn);
      await Promise.all(
        some.map(async (pair) => {
          const number = ++this.#reads;
          this.#learn(pair, number, await this.#readFacts(pair.person, pair.dataSource));
          pair.version = version;
        }),
      );
      await nextTurn();
    }
  }
}

function keyOf(person: string, dataSource: string): string {
  return `${person} ${dataSource}`;
}
