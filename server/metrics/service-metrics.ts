import { versions } from 'node:process';
import { type Counter, createRegistry, type Histogram, type Registry, readProcess } from '@rolecall/api/metrics';
import type { Figures } from '../gateway/figures.ts';
import { StoreUnavailableError } from '../store/errors.ts';
import type { Store } from '../store/store.ts';
import { metricTable } from './table.ts';

/** Why a request was turned away. */
export type RefusedReason = 'rate_limit' | 'guessing' | 'share' | 'overload';

export type QueryOutcome = 'succeeded' | 'failed' | 'cancelled';

/** Metrics that the parts of the service count with. Each service has its own, so that two in one process do not mix. */
export interface ServiceMetrics {
  readonly requestDuration: (operation: string) => Histogram;
  readonly requests: (operation: string, method: string, status: string) => Counter;
  readonly refused: (reason: RefusedReason) => void;
  readonly tlsReloadFailed: () => void;
  /** The size of a group of writes that were committed together. */
  readonly groupCommitted: (writes: number) => void;
  readonly queryCompleted: (outcome: QueryOutcome) => void;
  readonly rowsSpooled: (rows: number, bytes: number) => void;
  readonly eventLoopDelayed: (seconds: number) => void;
  /** Says where the figures are that are read when the page is. A process without a source does not show its figure. */
  readonly gauges: (sources: Partial<GaugeSources>) => void;
  readonly auditSinks: (states: () => readonly { label: string; lag: number; failing: boolean }[]) => void;
  /** The page for Prometheus. */
  readonly render: () => string;
  /** Gives a store whose writes are timed. */
  readonly timeWrites: (store: Store) => Store;
}

export interface GaugeSources {
  readonly inFlight: () => number;
  readonly connections: () => number;
  /** Undefined without TLS. */
  readonly certificateExpiry: () => Date | undefined;
  readonly eventStreams: () => number;
  /** Undefined in a process without a gateway. */
  readonly gateway: () => ReturnType<Figures['read']> | undefined;
  readonly queries: () => { readonly running: number; readonly waiting: number };
}

/** The gauges that have one number. */
const numbers = [
  ['rolecall_http_requests_in_flight', 'inFlight'],
  ['rolecall_http_connections', 'connections'],
  ['rolecall_event_streams', 'eventStreams'],
] as const;

type ServiceRegistry = Registry<typeof metricTable>;

/** @param version of the service */
export function createServiceMetrics(version: string): ServiceMetrics {
  const registry = createRegistry(metricTable);
  const refused = (reason: RefusedReason) => registry.counter('rolecall_http_refused_total', { reason });
  const completed = (outcome: QueryOutcome) => registry.counter('rolecall_queries_completed_total', { outcome });
  const failures = (reason: string) => registry.counter('rolecall_store_write_failures_total', { reason });
  const reloadFailures = registry.counter('rolecall_tls_reload_failures_total', {});
  const groups = registry.histogram('rolecall_store_group_size', {});
  const writes = registry.histogram('rolecall_store_write_duration_seconds', {});
  const rows = registry.counter('rolecall_query_spooled_rows_total', {});
  const bytes = registry.counter('rolecall_query_spooled_bytes_total', {});
  const delays = registry.histogram('rolecall_event_loop_delay_seconds', {});
  // A series that appears only with its first event hides that event from rate().
  for (const reason of ['rate_limit', 'guessing', 'share', 'overload'] as const) refused(reason);
  for (const outcome of ['succeeded', 'failed', 'cancelled'] as const) completed(outcome);
  for (const reason of ['full', 'busy', 'other']) failures(reason);
  registry.read('rolecall_build_info', () => [{ labels: { version, node: versions.node }, value: 1 }]);
  readProcess(registry.read);

  return {
    requestDuration: (operation) => registry.histogram('rolecall_http_request_duration_seconds', { operation }),
    requests: (operation, method, status) =>
      registry.counter('rolecall_http_requests_total', { operation, method, status }),
    refused: (reason) => {
      refused(reason).add();
    },
    tlsReloadFailed: () => {
      reloadFailures.add();
    },
    groupCommitted: (count) => {
      groups.observe(count);
    },
    queryCompleted: (outcome) => {
      completed(outcome).add();
    },
    rowsSpooled: (count, size) => {
      rows.add(count);
      bytes.add(size);
    },
    eventLoopDelayed: (seconds) => {
      delays.observe(seconds);
    },
    gauges: (sources) => {
      readGauges(registry, sources);
    },
    auditSinks: (states) => {
      registry.read('rolecall_audit_sink_lag_entries', () =>
        states().map(({ label, lag }) => ({ labels: { sink: label }, value: lag })),
      );
      registry.read('rolecall_audit_sink_failing', () =>
        states().map(({ label, failing }) => ({ labels: { sink: label }, value: failing ? 1 : 0 })),
      );
    },
    render: registry.render,
    timeWrites: (store) =>
      timeWrites(store, writes, (reason) => {
        failures(reason).add();
      }),
  };
}

function readGauges(
  registry: ServiceRegistry,
  { certificateExpiry, queries, gateway, ...others }: Partial<GaugeSources>,
): void {
  for (const [name, source] of numbers) {
    const read = others[source];
    if (read !== undefined) registry.read(name, () => [{ value: read() }]);
  }
  registry.read('rolecall_tls_certificate_expiry_timestamp_seconds', () => {
    const expiry = certificateExpiry?.();
    return expiry === undefined ? [] : [{ value: expiry.getTime() / 1000 }];
  });
  registry.read('rolecall_gateway_sessions', () => gateway?.()?.sessions ?? []);
  registry.read('rolecall_gateway_refused_total', () => gateway?.()?.refused ?? []);
  registry.read('rolecall_gateway_ended_total', () => gateway?.()?.ended ?? []);
  registry.read('rolecall_gateway_bytes_total', () => gateway?.()?.bytes ?? []);
  if (queries === undefined) return;
  registry.read('rolecall_queries_running', () => [{ value: queries().running }]);
  registry.read('rolecall_queries_waiting', () => [{ value: queries().waiting }]);
}

function timeWrites(store: Store, durations: Histogram, failed: (reason: string) => void): Store {
  return {
    ...store,
    write: async (changes, work) => {
      const begun = performance.now();
      try {
        return await store.write(changes, work);
      } catch (error) {
        if (error instanceof StoreUnavailableError) failed(reasonOf(error));
        throw error;
      } finally {
        durations.observe((performance.now() - begun) / 1000);
      }
    },
  };
}

function reasonOf({ full, busy }: StoreUnavailableError): string {
  if (full) return 'full';
  return busy ? 'busy' : 'other';
}
