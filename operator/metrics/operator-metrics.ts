import { versions } from 'node:process';
import { createRegistry, readProcess } from '@rolecall/api/metrics';
import { group, type KindName, kinds } from '@rolecall/crds';
import type { CustomObject } from '../resources/custom-object.ts';
import type { CacheChange } from '../runtime/cache.ts';
import type { Clock } from '../runtime/clock.ts';
import type { QueueObserver } from '../runtime/queue-observer.ts';
import { isReady } from '../status/conditions.ts';
import { type Contact, createContact } from './contact.ts';
import { createListed } from './listed.ts';
import { countExpiring, countReady, countStalled, countStates, nextExpiry, type Objects } from './object-metrics.ts';
import { createQueueMetrics } from './queue-metrics.ts';
import { operatorMetricTable } from './table.ts';

/** What the parts of the operator count with. One an operator, so that two in one process do not mix. */
export interface OperatorMetrics {
  readonly contact: Contact;
  readonly queue: QueueObserver;
  /** Gives the same work, counted and timed. */
  readonly timed: (work: (key: string) => Promise<void>) => (key: string) => Promise<void>;
  /** An API server answered with a status, or not at all. */
  readonly answered: (method: string, status: number | undefined, path: string) => void;
  readonly leads: (name: string, leads: boolean) => void;
  /** Says where the objects are that are counted when the page is read, and whether all have been listed. */
  readonly objects: (objects: Objects, isSynced: () => boolean) => void;
  readonly changed: (change: CacheChange<CustomObject>) => void;
  /** Objects of these kinds had been as declared, had not changed since, and were put right in the workspace. */
  readonly corrected: (drifted: Iterable<KindName>) => void;
  /** Undeclared objects of these kinds were removed from exact collections. */
  readonly removed: (undeclared: Iterable<string>) => void;
  /** Says where the clocks of the services are, by namespace and name of their Workspace. */
  readonly skews: (clocks: () => Iterable<[string, { readonly skewMs: number }]>) => void;
  /** The page for Prometheus. */
  readonly render: () => string;
}

/** The name of the one controller, and of its queue, in the metrics. */
const controller = 'rolecall';

/**
 * @param host of the API server, as metrics name it
 * @param version of the operator
 */
export function createOperatorMetrics(clock: Clock, host: string, version: string): OperatorMetrics {
  const registry = createRegistry(operatorMetricTable);
  const labels = { name: controller, controller };
  const reconciled = (result: 'success' | 'error') =>
    registry.counter('controller_runtime_reconcile_total', { controller, result });
  const errors = registry.counter('controller_runtime_reconcile_errors_total', { controller });
  const times = registry.histogram('controller_runtime_reconcile_time_seconds', { controller });
  const queue = createQueueMetrics(
    {
      adds: registry.counter('workqueue_adds_total', labels),
      retries: registry.counter('workqueue_retries_total', labels),
      waited: registry.histogram('workqueue_queue_duration_seconds', labels),
      worked: registry.histogram('workqueue_work_duration_seconds', labels),
    },
    clock,
  );
  const delays = (state: 'Active' | 'Expired') =>
    registry.histogram('rolecall_permission_transition_delay_seconds', { state });
  // A series that appears only with its first event hides that event from rate().
  for (const result of ['success', 'error'] as const) reconciled(result);
  for (const state of ['Active', 'Expired'] as const) delays(state);
  const contact = createContact(clock);
  const listed = createListed();
  let reconciling = 0;
  registry.read('controller_runtime_active_workers', () => [{ labels: { controller }, value: reconciling }]);
  registry.read('controller_runtime_max_concurrent_reconciles', () => [{ labels: { controller }, value: 1 }]);
  registry.read('workqueue_depth', () => [{ labels: { ...labels, priority: '' }, value: queue.depth() }]);
  registry.read('workqueue_unfinished_work_seconds', () => [{ labels, value: queue.unfinished() }]);
  registry.read('workqueue_longest_running_processor_seconds', () => [{ labels, value: queue.longest() }]);
  registry.read('rolecall_apiserver_contact_age_seconds', () => [{ value: contact.ageMs() / 1000 }]);
  registry.read('rolecall_operator_build_info', () => [{ labels: { version, node: versions.node }, value: 1 }]);
  readProcess(registry.read);

  return {
    contact,
    queue: queue.observer,
    timed: (work) => async (key) => {
      const begun = clock.elapsed();
      reconciling += 1;
      try {
        await work(key);
        reconciled('success').add();
      } catch (error) {
        reconciled('error').add();
        errors.add();
        throw error;
      } finally {
        reconciling -= 1;
        times.observe((clock.elapsed() - begun) / 1000);
      }
    },
    answered: (method, status, path) => {
      const code = status === undefined ? '<error>' : String(status);
      registry.counter('rest_client_requests_total', { code, method, host }).add();
      listed.answered(path, status);
      if (status !== undefined) contact.heard();
    },
    leads: (name, leads) => {
      registry.read('leader_election_master_status', () => [{ labels: { name }, value: leads ? 1 : 0 }]);
    },
    objects: (objects, isSynced) => {
      listed.expect([...objects.keys()].map((kind) => `${kinds[kind].plural}.${group}`));
      contact.syncedWhen(isSynced, listed.missing);
      // Caches that follow nothing any more must not be counted: every reading is set again here.
      for (const kind of objects.keys()) {
        registry.counter('rolecall_drift_corrected_total', { kind });
        registry.counter('rolecall_undeclared_removed_total', { kind });
      }
      registry.read('rolecall_objects', () => countReady(objects));
      registry.read('rolecall_stalled_objects', () => countStalled(objects));
      registry.read('rolecall_permissions', () => countStates(objects));
      registry.read('rolecall_permissions_expiring', () => countExpiring(objects, clock.now()));
      registry.read('rolecall_permission_next_expiry_timestamp_seconds', () => nextExpiry(objects, clock.now()));
    },
    changed: ({ before, after }) => {
      const state = after?.status.state;
      const past = before?.status.state;
      if (past === undefined || state === undefined || state === past || state === 'Pending') return;
      // What was not granted before its moment becomes active when it is granted, which is no delay.
      if (state === 'Active' && (before === undefined || !isReady(before))) return;
      // What is ended by a new end was not late.
      if (state === 'Expired' && before?.status.expiresAt !== after?.status.expiresAt) return;
      const moment = state === 'Active' ? after?.status.startsAt : after?.status.expiresAt;
      if (moment !== undefined) delays(state).observe(Math.max(0, (clock.now() - Date.parse(moment)) / 1000));
    },
    corrected: (drifted) => {
      for (const kind of drifted) registry.counter('rolecall_drift_corrected_total', { kind }).add();
    },
    removed: (undeclared) => {
      for (const kind of undeclared) registry.counter('rolecall_undeclared_removed_total', { kind }).add();
    },
    skews: (clocks) => {
      registry.read('rolecall_service_clock_skew_seconds', () =>
        [...clocks()].map(([workspace, { skewMs }]) => ({ labels: { workspace }, value: skewMs / 1000 })),
      );
    },
    render: registry.render,
  };
}
