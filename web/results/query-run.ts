import { signal } from '@preact/signals';
import type { MyQuery, QueryResult } from '@rolecall/api';
import { call, Problem } from '../person-client.ts';

/** The page reads results as they appear, up to this many; the others when the person opens their tab. */
const mostReadAhead = 50;

/** Milliseconds between two readings. */
const firstPause: number = 60;
const longestPause = 1000;

/** A query as it runs: its state and its results, read until both are complete. */
export class QueryRun {
  readonly query = signal<MyQuery | undefined>(undefined);
  /** By their index; undefined for one that was not read yet. */
  readonly results = signal<readonly (QueryResult | undefined)[]>([]);
  /** Why the state cannot be read. It is read again by itself unless the service refused. */
  readonly error = signal<Error | undefined>(undefined);
  /** Number of commands that never began, since a command before them failed. */
  readonly skipped = signal(0);
  readonly #id: string;
  #controller = new AbortController();
  /** Ends the pause before the next reading. */
  #wake: () => void = () => undefined;
  #opened = 0;

  constructor(id: string) {
    this.#id = id;
  }

  /** Reads until everything is complete. @returns what ends it */
  follow(): () => void {
    this.#controller.abort();
    this.#controller = new AbortController();
    void this.#follow(this.#controller.signal);
    return () => {
      this.#controller.abort();
      this.#wake();
    };
  }

  /** Reads the state now, rather than after the pause. */
  readNow(): void {
    this.#wake();
  }

  /** Reads a result that is beyond those that are read by themselves. */
  open(index: number): void {
    this.#opened = index;
    if (this.results.value[index] === undefined) this.follow();
  }

  async cancel(): Promise<void> {
    await call('cancelMyQuery', { params: { query: this.#id } });
    this.readNow();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const isOver = () => signal.aborted;
    for (let pause = firstPause; !isOver(); pause = Math.min(pause * 1.5, longestPause)) {
      try {
        const query = await call('getMyQuery', { params: { query: this.#id } }, signal);
        if (isOver()) return;
        this.query.value = query;
        const isComplete = await this.#readResults(query, signal);
        if (isOver()) return;
        if (query.success === false) await this.#readSkipped(query, signal);
        this.error.value = undefined;
        if (query.completedAt !== null && isComplete) return;
      } catch (error) {
        if (isOver()) return;
        this.error.value = error instanceof Error ? error : new Error(String(error));
        if (error instanceof Problem) return;
      }
      await this.#pause(pause);
    }
  }

  /** @returns whether none of them is still being fetched */
  async #readResults({ numResults }: MyQuery, signal: AbortSignal): Promise<boolean> {
    const count = numResults ?? 0;
    const results = Array.from({ length: count }, (_none, index) => this.results.value[index]);
    const wanted = [...results.keys()].filter((index) => index < mostReadAhead || index === count - 1);
    for (const index of new Set([...wanted, Math.min(this.#opened, count - 1)])) {
      if (index < 0 || results[index]?.completedAt) continue;
      const params = { query: this.#id, resultIndex: String(index) };
      results[index] = await call('getMyQueryResult', { params }, signal);
    }
    this.results.value = results;
    return results.every((result) => result === undefined || result.completedAt !== null);
  }

  async #readSkipped({ numResults }: MyQuery, signal: AbortSignal): Promise<void> {
    const { commands } = await call('getMyQueryCommands', { params: { query: this.#id } }, signal);
    this.skipped.value = Math.max(0, commands.length - (numResults ?? 0));
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      setTimeout(resolve, milliseconds);
    });
  }
}
