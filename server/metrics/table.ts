import { type MetricDefinition, processTable } from '@rolecall/api/metrics';

/** From what memory answers to what waits for a database or a time limit, in seconds. */
const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Everything that the service counts. docs/service.md lists the same, held to it by a test. Names follow Prometheus:
 * base units, `_total` for what only grows.
 */
export const metricTable = {
  rolecall_http_requests_total: {
    type: 'counter',
    help: 'Requests that ended, by operation, method and class of status (aborted: the client went away).',
    labels: ['operation', 'method', 'status'],
  },
  rolecall_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from the headers of a request to the end of its answer, by operation.',
    labels: ['operation'],
    buckets: requestSeconds,
  },
  rolecall_http_requests_in_flight: {
    type: 'gauge',
    help: 'Requests that are being worked on.',
    labels: [],
  },
  rolecall_http_refused_total: {
    type: 'counter',
    help: 'Requests that were turned away: rate_limit, guessing and share (one address has too many at a time) with 429, overload with 503.',
    labels: ['reason'],
  },
  rolecall_http_connections: {
    type: 'gauge',
    help: 'Open connections.',
    labels: [],
  },
  rolecall_tls_certificate_expiry_timestamp_seconds: {
    type: 'gauge',
    help: 'When the certificate that is served expires, since 1970; absent without TLS.',
    labels: [],
  },
  rolecall_tls_reload_failures_total: {
    type: 'counter',
    help: 'Certificates or keys that could not be used when their files had changed.',
    labels: [],
  },
  rolecall_store_write_duration_seconds: {
    type: 'histogram',
    help: 'Time from the moment a change is asked of the store until it is on disk, or has failed.',
    labels: [],
    buckets: requestSeconds,
  },
  rolecall_store_write_failures_total: {
    type: 'counter',
    help: 'Changes that the store could not make: full (no space), busy (locked by another process), other.',
    labels: ['reason'],
  },
  rolecall_store_group_size: {
    type: 'histogram',
    help: 'Changes that shared one transaction of the store.',
    labels: [],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
  },
  rolecall_queries_running: {
    type: 'gauge',
    help: 'Queries of this process that a database works on.',
    labels: [],
  },
  rolecall_queries_waiting: {
    type: 'gauge',
    help: 'Queries of this process that wait for their turn.',
    labels: [],
  },
  rolecall_event_streams: {
    type: 'gauge',
    help: 'Open streams of events to people.',
    labels: [],
  },
  rolecall_gateway_sessions: {
    type: 'gauge',
    help: 'Open sessions of people through the gateway of this process, by protocol.',
    labels: ['protocol'],
  },
  rolecall_gateway_refused_total: {
    type: 'counter',
    help: 'Log-ins to the gateway that were refused: for the password, the access, a limit, what the client asked for, the database, the store, an error.',
    labels: ['protocol', 'reason'],
  },
  rolecall_gateway_ended_total: {
    type: 'counter',
    help: 'Sessions through the gateway that ended: closed by the client or the database, with the access, by someone, by a shutdown.',
    labels: ['protocol', 'reason'],
  },
  rolecall_gateway_bytes_total: {
    type: 'counter',
    help: 'Bytes that the gateway received from clients, and sent to them.',
    labels: ['protocol', 'direction'],
  },
  rolecall_queries_completed_total: {
    type: 'counter',
    help: 'Queries of this process that ended, by outcome.',
    labels: ['outcome'],
  },
  rolecall_query_spooled_rows_total: {
    type: 'counter',
    help: 'Rows of queries that were written to the disk.',
    labels: [],
  },
  rolecall_query_spooled_bytes_total: {
    type: 'counter',
    help: 'Bytes of these rows.',
    labels: [],
  },
  rolecall_event_loop_delay_seconds: {
    type: 'histogram',
    help: 'How late the event loop was, looked at every 20 ms.',
    labels: [],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
  rolecall_audit_sink_lag_entries: {
    type: 'gauge',
    help: 'Entries of the audit trail that a sink has not taken yet.',
    labels: ['sink'],
  },
  rolecall_audit_sink_failing: {
    type: 'gauge',
    help: '1 while this process cannot deliver to a sink, else 0.',
    labels: ['sink'],
  },
  rolecall_build_info: {
    type: 'gauge',
    help: 'Always 1; the labels say what runs.',
    labels: ['version', 'node'],
  },
  ...processTable,
} as const satisfies Record<string, MetricDefinition>;
