import { parseConnectionUri } from '@rolecall/api';
import type { Guard } from '../databases/guard/index.ts';
import { startTicker, type Ticker } from '../queries/ticker.ts';
import type { Seal } from '../secrets/seal.ts';
import {
  deleteGatewaySessions,
  deleteOverdueProcess,
  selectLeftBehind,
  touchOverdueProcesses,
} from '../store/gateway-session.ts';
import type { Executor, Store } from '../store/store.ts';
import { parseAtServer } from './at-server.ts';
import { endLeftBehind } from './postgresql/end-left-behind.ts';

/** Interval of its looks, and time that a lease must be over at each before its process counts as dead, in milliseconds. */
const [lookMs, overdueMs] = [1000, 3000];

/** The longest pause between two attempts to end the sessions of a process, in milliseconds. */
const longestPauseMs = 60_000;

/** @param now the store's time, in milliseconds since 1970 */
type Row = Awaited<ReturnType<typeof selectLeftBehind>>[number] & { readonly now: number };

interface Parts {
  readonly store: Store;
  readonly seal: Seal;
  readonly guard: Guard;
  readonly onError: (error: unknown) => void;
  /** Ends sessions at one server. */
  readonly end?: typeof endLeftBehind;
}

/** A process whose lease is over. */
interface Doubted {
  /** Time at which its sessions are ended, by the monotonic clock. */
  readonly endAt: number;
  /** Time for which its lease has to stay over until then, or until the next attempt. */
  readonly pauseMs: number;
}

/**
 * Ends, at their servers, the sessions of gateways that have died. PostgreSQL notices only for some statements that its client is gone,
 * and a client can switch that off. Every process does it for all others: to end a session twice is harmless.
 *
 * While the store is away, or takes no writes, no process can renew its lease. So a process counts as dead only if its lease stays
 * over for some time in which the store took writes.
 */
export class SessionsLeftBehind {
  readonly #parts: Required<Parts>;
  readonly #ticker: Ticker;
  #doubted: ReadonlyMap<string, Doubted> = new Map();
  #lookedAt = -Infinity;
  #isAway = false;

  constructor(parts: Parts) {
    this.#parts = { end: endLeftBehind, ...parts };
    this.#ticker = startTicker(
      lookMs,
      async () => {
        await this.#look();
        this.#isAway = false;
      },
      (error) => {
        // Once for each outage, not at every look.
        if (!this.#isAway) parts.onError(error);
        this.#isAway = true;
      },
    );
  }

  close(): Promise<void> {
    return this.#ticker.stop();
  }

  async #look(): Promise<void> {
    const lookedAt = this.#lookedAt;
    // Until it has read: a look that fails proves nothing.
    this.#lookedAt = -Infinity;
    const processes = Map.groupBy(await this.#read(), ({ process }) => process);
    const now = performance.now();
    this.#lookedAt = now;
    const isGap = now - lookedAt > overdueMs;
    const doubted = new Map<string, Doubted>();
    for (const process of processes.keys()) {
      const doubt = this.#doubted.get(process);
      const pauseMs = doubt?.pauseMs ?? overdueMs;
      doubted.set(process, doubt === undefined || isGap ? { endAt: now + pauseMs, pauseMs } : doubt);
    }
    this.#doubted = doubted;
    for (const [process, { endAt, pauseMs }] of doubted) {
      if (now < endAt || (await this.#end(process, processes.get(process) ?? []))) continue;
      const next = Math.min(2 * pauseMs, longestPauseMs);
      doubted.set(process, { endAt: performance.now() + next, pauseMs: next });
    }
  }

  /** @throws StoreUnavailableError, also where the store takes no writes */
  async #read(): Promise<Row[]> {
    const { store } = this.#parts;
    if ((await store.read(selectRows)).length === 0) return [];
    return store.write([], async (executor) => {
      await touchOverdueProcesses(executor, (await executor.now()).toISOString());
      return selectRows(executor);
    });
  }

  /** @returns whether all sessions of the process are ended */
  async #end(process: string, rows: readonly Row[]): Promise<boolean> {
    const { store, onError } = this.#parts;
    const servers = Map.groupBy(rows, ({ dataSource, atServer }) => `${dataSource} ${parseAtServer(atServer).address}`);
    const ended = await Promise.allSettled([...servers.values()].map((ofServer) => this.#endAtServer(ofServer)));
    for (const result of ended) if (result.status === 'rejected') onError(result.reason);
    if (ended.some(({ status }) => status === 'rejected')) return false;
    await store.write([], async (executor) => {
      const until = (await executor.now()).toISOString();
      // One that was only out of reach writes its sessions anew.
      if (!(await deleteOverdueProcess(executor, process, until))) return;
      await deleteGatewaySessions(
        executor,
        rows.map(({ id }) => ({ id })),
      );
    });
    return true;
  }

  async #endAtServer(rows: readonly Row[]): Promise<void> {
    const { seal, guard, end } = this.#parts;
    const [first] = rows;
    if (first === undefined) return;
    const left = rows.map(({ atServer, now }) => {
      const { processId, address, readyAt } = parseAtServer(atServer);
      return { processId, address, ageMs: now - readyAt };
    });
    await end(
      parseConnectionUri(seal.open(first.sealedUri, first.dataSource)),
      parseAtServer(first.atServer).address,
      left,
      guard,
    );
  }
}

async function selectRows(executor: Executor): Promise<Row[]> {
  const now = (await executor.now()).getTime();
  return (await selectLeftBehind(executor, new Date(now).toISOString())).map((row) => ({ ...row, now }));
}
