import type { ConnectionUri } from '@rolecall/api';
import { describeDenial } from '../access/describe-denial.ts';
import type { Gate } from '../access/gate.ts';
import { CatalogueError, type CatalogueOptions } from '../databases/catalogue/read.ts';
import type { Guard } from '../databases/guard/index.ts';
import type { Queries } from '../queries/index.ts';
import { Refusal } from '../refusal.ts';

/** Time limits in milliseconds: of a remembered answer, of a reading with the wait for a slot, and of one statement. */
const [rememberedMs, longestMs, longestStatementMs] = [60_000, 20_000, 15_000];

/** Tables and columns that are remembered for all people together: some 30 MiB. */
const mostRemembered = 200_000;

export interface CatalogueWanted {
  /** The person's id. */
  readonly person: string;
  readonly source: { readonly id: string; readonly name: string; readonly alias: string | null };
  /** The object to read, as a key: the tables, or the columns of one. */
  readonly what: string;
  readonly fresh: boolean;
  readonly uri: () => Promise<ConnectionUri>;
}

interface Remembered {
  readonly readAt: number;
  readonly value: Promise<unknown>;
  size: number;
}

interface CataloguesParts {
  readonly gate: Gate;
  readonly guard: Guard;
  readonly queries: Pick<Queries, 'takeSlot'>;
}

/**
 * Reads the catalogues of databases for people, one at a time for each person and data source, and remembers them for a minute.
 * A reading takes a slot, as a query does, and stops when the person's access ends.
 */
export class Catalogues {
  readonly #parts: CataloguesParts;
  readonly #remembered = new Map<string, Remembered>();

  constructor(parts: CataloguesParts) {
    this.#parts = parts;
  }

  /**
   * @param read reads it from the database
   * @param sizeOf how many tables or columns it has
   * @returns the answer, and when it was read
   * @throws Refusal schema_unreadable, access_ended
   */
  async read<T>(
    wanted: CatalogueWanted,
    read: (uri: ConnectionUri, options: CatalogueOptions) => Promise<T>,
    sizeOf: (value: T) => number,
  ): Promise<{ value: T; readAt: number }> {
    const key = JSON.stringify([wanted.person, wanted.source.id, wanted.what]);
    const earlierReading = this.#remembered.get(key);
    const isUsable = earlierReading !== undefined && !wanted.fresh && Date.now() - earlierReading.readAt < rememberedMs;
    // The key names the object, so this is what `read` returned before.
    if (isUsable) return { value: (await earlierReading.value) as T, readAt: earlierReading.readAt };
    const value = this.#readNow(wanted, read);
    const reading: Remembered = { readAt: Date.now(), value, size: 1 };
    this.#remembered.delete(key);
    this.#remembered.set(key, reading);
    try {
      const catalogue = await value;
      reading.size = 1 + sizeOf(catalogue);
      this.#forgetOld();
      return { value: catalogue, readAt: reading.readAt };
    } catch (error) {
      if (this.#remembered.get(key) === reading) this.#remembered.delete(key);
      throw error;
    }
  }

  async #readNow<T>(
    { person, source, uri }: CatalogueWanted,
    read: (uri: ConnectionUri, options: CatalogueOptions) => Promise<T>,
  ): Promise<T> {
    const { gate, guard, queries } = this.#parts;
    const ended = new AbortController();
    const passage = await gate.enter(person, source.id, (denial) => {
      ended.abort(new Refusal('access_ended', describeDenial(denial, source)));
    });
    if (!passage.reach.allowed) throw new Refusal('access_ended', describeDenial(passage.reach, source));
    const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(longestMs)]);
    let release: (() => void) | undefined;
    try {
      release = await queries.takeSlot(`person ${person}`, signal);
      return await read(await uri(), { guard, signal, statementTimeoutMs: longestStatementMs });
    } catch (error) {
      ended.signal.throwIfAborted();
      if (signal.aborted) throw unreadable(`reading them took more than ${longestMs / 1000} seconds`, error);
      throw error instanceof CatalogueError ? unreadable(error.message, error) : error;
    } finally {
      release?.();
      passage.leave();
    }
  }

  #forgetOld(): void {
    let total = 0;
    const [entries, oldest] = [[...this.#remembered].reverse(), Date.now() - rememberedMs];
    for (const [key, { size, readAt }] of entries) {
      total += size;
      if (total > mostRemembered || readAt < oldest) this.#remembered.delete(key);
    }
  }
}

function unreadable(detail: string, cause: unknown): Refusal {
  return new Refusal('schema_unreadable', detail, { cause });
}
