import { hostname } from 'node:os';
import { pid } from 'node:process';
import { newId } from '../ids.ts';
import { insertGatewaySessions, keepGatewayProcess, type StoredGatewaySession } from '../store/gateway-session.ts';
import type { Executor, Store } from '../store/store.ts';

/** Time that sessions are listed after the last sign of life of their process, and the interval of these, in milliseconds. */
const [lastsMs, renewMs] = [6000, 2000];

/** The sign of life of this process in the store, while it has sessions of the gateway. */
export class ProcessLease {
  /** Its name tells an operator where it is. */
  readonly process = { id: newId(), name: `${hostname()}/${pid}` };
  #renewedAt = -Infinity;

  get isDue(): boolean {
    return performance.now() - this.#renewedAt >= renewMs;
  }

  /**
   * Takes or renews the lease within a write, if it is due. `kept` says when that is committed.
   *
   * @param open the sessions of this process; the store may have lost them if it was out of reach for long
   */
  async keep(executor: Executor, open: readonly StoredGatewaySession[]): Promise<void> {
    if (!this.isDue || !(await keepGatewayProcess(executor, this.process, lastsMs))) return;
    await insertGatewaySessions(executor, open);
  }

  /** @param at when the write began, by the monotonic clock */
  kept(at: number): void {
    this.#renewedAt = Math.max(this.#renewedAt, at);
  }

  /** @throws StoreUnavailableError */
  async renew(store: Pick<Store, 'write'>, open: () => readonly StoredGatewaySession[]): Promise<void> {
    const begun = performance.now();
    await store.write([], (executor) => this.keep(executor, open()));
    this.kept(begun);
  }
}
