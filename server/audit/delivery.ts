import { randomUUID } from 'node:crypto';
import { startTicker, type Ticker } from '../queries/ticker.ts';
import { findHead, type StoredEntry, selectEntriesAfter } from '../store/audit.ts';
import { advanceSink, claimSink, findSinkCursor, makeSink, type SinkCursor } from '../store/audit-sink.ts';
import type { Store } from '../store/store.ts';
import { firstHash } from './chain.ts';
import { readPage } from './read.ts';
import { type AuditSink, deliveryLimit } from './sink.ts';

/** Milliseconds between two checks of the trail, and the longest pause after failures. */
const lookedEvery = 1000;
const longestPause = 60_000;

/** Longer than any delivery, so that no other process delivers the same entries meanwhile. */
const leaseMs = 3 * deliveryLimit;

const batch = { limit: 200, mostBytes: 1024 ** 2 };

export interface DeliveryParts {
  readonly store: Store;
  readonly failed: (label: string, error: unknown) => void;
  readonly recovered: (label: string) => void;
}

/**
 * Sends the entries of the trail to one sink, in order and at least once. Continues at the sink's cursor in the store. An
 * unavailable sink costs only retries, since the store keeps the entries.
 */
export class Delivery {
  readonly #parts: DeliveryParts;
  readonly #sink: AuditSink;
  readonly #owner = randomUUID();
  readonly #stop = new AbortController();
  readonly #ticker: Ticker;
  #failures = 0;
  #notBefore = 0;
  #lag = 0;

  constructor(sink: AuditSink, parts: DeliveryParts) {
    this.#sink = sink;
    this.#parts = parts;
    this.#ticker = startTicker(
      lookedEvery,
      () => this.#turn(),
      (error) => {
        parts.failed(sink.label, error);
      },
    );
  }

  /** For metrics. */
  get state(): { label: string; lag: number; failing: boolean } {
    return { label: this.#sink.label, lag: this.#lag, failing: this.#failures > 0 };
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ticker.stop();
  }

  async #turn(): Promise<void> {
    try {
      if ((await this.#measure()) === 0 || performance.now() < this.#notBefore) return;
      // The lease is taken only if there is something to deliver, and ends with the batch.
      while (!this.#stop.signal.aborted && (await this.#deliverBatch()) && (await this.#measure()) > 0);
      if (this.#failures > 0) this.#parts.recovered(this.#sink.label);
      this.#failures = 0;
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#failures += 1;
      this.#notBefore = performance.now() + Math.min(longestPause, lookedEvery * 2 ** (this.#failures - 1));
      // Reported once: the metric shows how long it lasts.
      if (this.#failures === 1) this.#parts.failed(this.#sink.label, error);
    }
  }

  async #measure(): Promise<number> {
    const { read } = this.#parts.store;
    const cursor = await read((executor) => findSinkCursor(executor, this.#sink.name));
    const { seq = 0 } = (await read(findHead)) ?? {};
    this.#lag = Math.max(0, seq - (cursor?.seq ?? 0));
    return cursor !== undefined && cursor.seq > seq ? cursor.seq - seq : this.#lag;
  }

  /** @returns false if another process delivers, or nothing is left */
  async #deliverBatch(): Promise<boolean> {
    const { name } = this.#sink;
    const owner = this.#owner;
    const { read } = this.#parts.store;
    const cursor = await this.#claim();
    if (cursor === undefined) return false;
    await this.#requireSameTrail(cursor);
    const next = (from: number, limit: number) =>
      read((executor) => selectEntriesAfter(executor, { seq: from, limit }));
    const entries = await readPage(next, cursor.seq, batch);
    const last = entries.at(-1);
    if (last === undefined) return false;
    await this.#sink.deliver(entries, this.#stop.signal);
    const { seq, hash } = last;
    await this.#parts.store.write([], (executor) => advanceSink(executor, { name, owner, seq, hash }));
    return true;
  }

  async #claim(): Promise<SinkCursor | undefined> {
    const { store } = this.#parts;
    const { name } = this.#sink;
    return store.write([], async (executor) => {
      await makeSink(executor, { name, hash: firstHash });
      const now = await executor.now();
      const until = new Date(now.getTime() + leaseMs).toISOString();
      // A process that has the store to itself need not wait for the lease of its dead predecessor.
      const ended = store.replicas === undefined ? '9999' : now.toISOString();
      return claimSink(executor, { name, owner: this.#owner, now: ended, until });
    });
  }

  /** A rewritten trail must not be sent on as if nothing had happened. */
  async #requireSameTrail({ seq, hash }: SinkCursor): Promise<void> {
    if (seq === 0) return;
    const [entry]: StoredEntry[] = await this.#parts.store.read((executor) =>
      selectEntriesAfter(executor, { seq: seq - 1, limit: 1 }),
    );
    if (entry?.seq === seq && entry.hash === hash) return;
    throw new Error(`entry ${seq} in the store is not the one that was delivered: the audit trail was rewritten`);
  }
}
