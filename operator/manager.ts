/** The operator: watches the custom resources, and while it leads, hands each change to the controller of its namespace. */

import { hostname } from 'node:os';
import { Controllers, type ControllersOptions } from './controllers.ts';
import { type Followed, type FollowOptions, follow } from './follow.ts';
import { areSynced, catchUp, handOver } from './handover.ts';
import type { OperatorMetrics } from './metrics/operator-metrics.ts';
import { becomeLeader, type LeadBy, type Leadership } from './runtime/leader-election.ts';
import { RepeatedWarnings } from './runtime/repeated-warnings.ts';

export interface OperatorOptions extends ControllersOptions, FollowOptions {
  /** The place of the Lease; absent: without leader election, for an operator that runs alone. */
  readonly lease?: LeadBy | undefined;
  readonly metrics?: OperatorMetrics | undefined;
}

/**
 * Runs until the signal is aborted.
 *
 * @returns why it ended: the signal, or another process leads now, after which this process has to be started again
 */
export async function runOperator(options: OperatorOptions, signal: AbortSignal): Promise<'stopped' | 'lost'> {
  const manager = new Manager(options, signal);
  try {
    if (options.lease === undefined) await manager.lead();
    else await manager.leadBy(options.lease);
    return signal.aborted ? 'stopped' : 'lost';
  } finally {
    manager.end();
  }
}

/** A process that leads after so long had another leader before it. */
const waitedMs = 500;

class Manager {
  readonly #options: OperatorOptions;
  readonly #signal: AbortSignal;
  /** Different for every process, and for every start of one. */
  readonly #identity = `${hostname()}_${crypto.randomUUID()}`;
  readonly #warnings: RepeatedWarnings;
  readonly #ended = new AbortController();
  /** Ends what is followed now, where everything is listed anew. */
  #following = new AbortController();
  #followed: Followed;
  /** Only while this process leads. */
  #controllers: Controllers | undefined;

  constructor(options: OperatorOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#warnings = new RepeatedWarnings(options.clock, (message) => {
      options.log('warn', message);
    });
    this.#followed = this.#follow();
  }

  /** Leads as long as this process holds the Lease. */
  async leadBy(lease: LeadBy): Promise<void> {
    const { clock, log, metrics } = this.#options;
    metrics?.leads(lease.name, false);
    const asked = clock.elapsed();
    const leadership = await this.#becomeLeader(lease);
    if (leadership === undefined) return;
    metrics?.leads(lease.name, true);
    log('info', `this process leads, as ${this.#identity}`);
    const leading = AbortSignal.any([this.#signal, leadership.signal]);
    // Another process wrote meanwhile.
    const hasWaited = clock.elapsed() - asked >= waitedMs && !leadership.isAfterSilence;
    if (hasWaited && !(await catchUp(this.#followed.caches, leadership.handover, clock, leading))) this.#followAnew();
    const { unseen } = await this.lead(leadership.signal);
    metrics?.leads(lease.name, false);
    if (!this.#signal.aborted) {
      const { reason } = leadership.signal as { reason: unknown };
      log('warn', `this process is no longer the leader: ${reason instanceof Error ? reason.message : String(reason)}`);
    }
    await leadership.release(handOver(this.#followed.caches, unseen)).catch(this.#onError);
  }

  /**
   * Runs the controllers until the operator is to end.
   *
   * @param lost aborted as soon as another process may lead: then even what is under way is ended
   */
  async lead(lost: AbortSignal = new AbortController().signal): Promise<Controllers> {
    const [followed, identity, warnings] = [this.#followed, this.#identity, this.#warnings];
    const signal = AbortSignal.any([this.#signal, lost]);
    const controllers = new Controllers(this.#options, { followed, identity, warnings, signal, lost });
    this.#controllers = controllers;
    await controllers.run();
    return controllers;
  }

  /** Follows nothing any more. */
  end(): void {
    this.#ended.abort();
  }

  readonly #onError = (error: Error): void => {
    this.#warnings.warn(error.message);
  };

  #becomeLeader(lease: LeadBy): Promise<Leadership | undefined> {
    const { session, clock } = this.#options;
    const onSilence = (): void => {
      this.#followAnew();
    };
    const parts = { session, clock, random: Math.random, identity: this.#identity, onError: this.#onError, onSilence };
    return becomeLeader({ ...parts, ...lease }, this.#signal);
  }

  #follow(): Followed {
    // Until everything has ended: what is finished then goes by what the watches bring.
    const until = AbortSignal.any([this.#ended.signal, this.#following.signal]);
    const followed = follow(
      this.#options,
      (change) => {
        this.#controllers?.onChange(change);
      },
      this.#onError,
      until,
    );
    const { caches } = followed;
    this.#options.metrics?.objects(new Map([...caches].map(([kind, cache]) => [kind, () => cache.values()])), () =>
      areSynced(caches),
    );
    return followed;
  }

  #followAnew(): void {
    this.#following.abort();
    this.#following = new AbortController();
    this.#followed = this.#follow();
  }
}
