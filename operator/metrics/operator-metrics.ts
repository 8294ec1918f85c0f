import { versions } from 'node:process';
import { type Counter, createRegistry, type Histogram, readProcess } from '@rolecall/api/metrics';
import { group, type KindName, kinds } from '@rolecall/crds';
import type { CustomObject } from '../resources/custom-object.ts';
import type { CacheChange } from '../runtime/cache.ts';
import type { Clock } from '../runtime/clock.ts';
import type { QueueObserver } from '../runtime/queue-observer.ts';
import { resourceOf } from '../runtime/resource-path.ts';
import { isReady } from '../status/conditions.ts';
import { type Contact, createContact } from './contact.ts';
import { countExpiring, countReady, countStalled, countStates, nextExpiry, type Objects } from './object-metrics.ts';
import { createQueueMetrics, type QueueMetrics } from './queue-metrics.ts';
import { operatorMetricTable } from './table.ts';

/** The name of the one controller, and of its queue, in the metrics. */
const controller = 'rolecall';

const queueLabels = { name: controller, controller };

/** Counters of the parts of the operator. Each operator has its own, so that two in one process do not mix. */
export class OperatorMetrics {
  readonly contact: Contact;
  readonly #clock: Clock;
  readonly #host: string;
  readonly #registry = createRegistry(operatorMetricTable);
  readonly #queue: QueueMetrics;
  /** Resources that have not been listed yet, each by its name: `people.rolecall.dev`. */
  #unlisted = new Set<string>();
  /** The number of reconciles that run now. */
  #reconciling = 0;

  /**
   * @param host of the API server, as metrics name it
   * @param version of the operator
   */
  constructor(clock: Clock, host: string, version: string) {
    this.#clock = clock;
    this.#host = host;
    this.contact = createContact(clock);
    this.#queue = createQueueMetrics(
      {
        adds: this.#registry.counter('workqueue_adds_total', queueLabels),
        retries: this.#registry.counter('workqueue_retries_total', queueLabels),
        waited: this.#registry.histogram('workqueue_queue_duration_seconds', queueLabels),
        worked: this.#registry.histogram('workqueue_work_duration_seconds', queueLabels),
      },
      clock,
    );
    // A series that appears only with its first event hides that event from rate().
    for (const result of ['success', 'error'] as const) this.#reconciled(result);
    for (const state of ['Active', 'Expired'] as const) this.#delays(state);
    this.#registry.counter('controller_runtime_reconcile_errors_total', { controller });
    this.#registry.histogram('controller_runtime_reconcile_time_seconds', { controller });
    this.#registerReadings(version);
  }

  get queue(): QueueObserver {
    return this.#queue.observer;
  }

  /** Gives the same work, counted and timed. */
  timed(work: (key: string) => Promise<void>): (key: string) => Promise<void> {
    return async (key) => {
      const begun = this.#clock.elapsed();
      this.#reconciling += 1;
      try {
        await work(key);
        this.#reconciled('success').add();
      } catch (error) {
        this.#reconciled('error').add();
        this.#registry.counter('controller_runtime_reconcile_errors_total', { controller }).add();
        throw error;
      } finally {
        this.#reconciling -= 1;
        const seconds = (this.#clock.elapsed() - begun) / 1000;
        this.#registry.histogram('controller_runtime_reconcile_time_seconds', { controller }).observe(seconds);
      }
    };
  }

  /** An API server answered with a status, or not at all. A property, since it is passed on by itself. */
  readonly answered = (method: string, status: number | undefined, path: string): void => {
    const code = status === undefined ? '<error>' : String(status);
    this.#registry.counter('rest_client_requests_total', { code, method, host: this.#host }).add();
    if (status === undefined) return;
    this.contact.heard();
    // A collection that is watched has been listed as a whole.
    if (this.#unlisted.size > 0 && status < 300 && /[?&]watch=1/.test(path))
      this.#unlisted.delete(resourceOf(path) ?? '');
  };

  leads(name: string, leads: boolean): void {
    this.#registry.read('leader_election_master_status', () => [{ labels: { name }, value: leads ? 1 : 0 }]);
  }

  /** Sets the objects to count when the page is read, and how to find out whether all have been listed. */
  objects(objects: Objects, isSynced: () => boolean): void {
    this.#unlisted = new Set([...objects.keys()].map((kind) => `${kinds[kind].plural}.${group}`));
    this.contact.syncedWhen(isSynced, () => [...this.#unlisted]);
    const registry = this.#registry;
    // Caches that follow nothing any more must not be counted: every reading is set again here.
    for (const kind of objects.keys()) {
      registry.counter('rolecall_drift_corrected_total', { kind });
      registry.counter('rolecall_undeclared_removed_total', { kind });
    }
    const now = (): number => this.#clock.now();
    registry.read('rolecall_objects', () => countReady(objects));
    registry.read('rolecall_stalled_objects', () => countStalled(objects));
    registry.read('rolecall_permissions', () => countStates(objects));
    registry.read('rolecall_permissions_expiring', () => countExpiring(objects, now()));
    registry.read('rolecall_permission_next_expiry_timestamp_seconds', () => nextExpiry(objects, now()));
  }

  changed({ before, after }: CacheChange<CustomObject>): void {
    const state = after?.status.state;
    const past = before?.status.state;
    if (past === undefined || state === undefined || state === past || state === 'Pending') return;
    // What was not granted before its moment becomes active when it is granted, which is no delay.
    if (state === 'Active' && (before === undefined || !isReady(before))) return;
    // What is ended by a new end was not late.
    if (state === 'Expired' && before?.status.expiresAt !== after?.status.expiresAt) return;
    const moment = state === 'Active' ? after?.status.startsAt : after?.status.expiresAt;
    if (moment === undefined) return;
    this.#delays(state).observe(Math.max(0, (this.#clock.now() - Date.parse(moment)) / 1000));
  }

  /** Objects of these kinds had been as declared, had not changed since, and were put right in the workspace. */
  corrected(drifted: Iterable<KindName>): void {
    for (const kind of drifted) this.#registry.counter('rolecall_drift_corrected_total', { kind }).add();
  }

  /** Undeclared objects of these kinds were removed from exact collections. */
  removed(undeclared: Iterable<string>): void {
    for (const kind of undeclared) this.#registry.counter('rolecall_undeclared_removed_total', { kind }).add();
  }

  /** Sets how to find the clocks of the services, by namespace and name of their Workspace. */
  skews(clocks: () => Iterable<[string, { readonly skewMs: number }]>): void {
    this.#registry.read('rolecall_service_clock_skew_seconds', () =>
      [...clocks()].map(([workspace, { skewMs }]) => ({ labels: { workspace }, value: skewMs / 1000 })),
    );
  }

  /** The page for Prometheus. */
  render(): string {
    return this.#registry.render();
  }

  #reconciled(result: 'success' | 'error'): Counter {
    return this.#registry.counter('controller_runtime_reconcile_total', { controller, result });
  }

  #delays(state: 'Active' | 'Expired'): Histogram {
    return this.#registry.histogram('rolecall_permission_transition_delay_seconds', { state });
  }

  #registerReadings(version: string): void {
    const registry = this.#registry;
    const queue = this.#queue;
    const labels = queueLabels;
    registry.read('controller_runtime_active_workers', () => [{ labels: { controller }, value: this.#reconciling }]);
    registry.read('controller_runtime_max_concurrent_reconciles', () => [{ labels: { controller }, value: 1 }]);
    registry.read('workqueue_depth', () => [{ labels: { ...labels, priority: '' }, value: queue.depth() }]);
    registry.read('workqueue_unfinished_work_seconds', () => [{ labels, value: queue.unfinished() }]);
    registry.read('workqueue_longest_running_processor_seconds', () => [{ labels, value: queue.longest() }]);
    registry.read('rolecall_apiserver_contact_age_seconds', () => [{ value: this.contact.ageMs() / 1000 }]);
    registry.read('rolecall_operator_build_info', () => [{ labels: { version, node: versions.node }, value: 1 }]);
    readProcess(registry.read);
  }
}
