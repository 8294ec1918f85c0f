import { type MetricDefinition, processTable } from '@rolecall/api/metrics';

/** Those of controller-runtime: dashboards count with them (pkg/internal/controller/metrics). */
const reconcileSeconds = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** Those of client-go's queues: from ten nanoseconds, each ten times the one before. */
const queueSeconds = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1000];

const queueLabels = ['name', 'controller'] as const;

/**
 * Everything that the operator counts. The first ones have the names, labels and buckets of controller-runtime and
 * client-go, so that dashboards and alerts that are there for operators in Go show this one too. docs/kubernetes/metrics.md
 * lists the same, held to it by a test.
 */
export const operatorMetricTable = {
  controller_runtime_reconcile_total: {
    type: 'counter',
    help: 'Total number of reconciliations per controller.',
    labels: ['controller', 'result'],
  },
  controller_runtime_reconcile_errors_total: {
    type: 'counter',
    help: 'Total number of reconciliation errors per controller.',
    labels: ['controller'],
  },
  controller_runtime_reconcile_time_seconds: {
    type: 'histogram',
    help: 'Length of time per reconciliation per controller.',
    labels: ['controller'],
    buckets: reconcileSeconds,
  },
  controller_runtime_active_workers: {
    type: 'gauge',
    help: 'Number of currently used workers per controller.',
    labels: ['controller'],
  },
  controller_runtime_max_concurrent_reconciles: {
    type: 'gauge',
    help: 'Maximum number of concurrent reconciles per controller.',
    labels: ['controller'],
  },
  workqueue_depth: {
    type: 'gauge',
    help: 'Current depth of workqueue by workqueue and priority.',
    labels: [...queueLabels, 'priority'],
  },
  workqueue_adds_total: {
    type: 'counter',
    help: 'Total number of adds handled by workqueue.',
    labels: queueLabels,
  },
  workqueue_queue_duration_seconds: {
    type: 'histogram',
    help: 'How long an item stays in workqueue before being requested.',
    labels: queueLabels,
    buckets: queueSeconds,
  },
  workqueue_work_duration_seconds: {
    type: 'histogram',
    help: 'How long processing an item from workqueue takes.',
    labels: queueLabels,
    buckets: queueSeconds,
  },
  workqueue_unfinished_work_seconds: {
    type: 'gauge',
    help: 'Total time that running work has taken so far; it grows while something is stuck.',
    labels: queueLabels,
  },
  workqueue_longest_running_processor_seconds: {
    type: 'gauge',
    help: 'How long the longest running item has been worked on.',
    labels: queueLabels,
  },
  workqueue_retries_total: {
    type: 'counter',
    help: 'Total number of retries handled by workqueue.',
    labels: queueLabels,
  },
  rest_client_requests_total: {
    type: 'counter',
    help: 'Number of HTTP requests to the API server, by status code, method and host (code <error>: no answer).',
    labels: ['code', 'method', 'host'],
  },
  leader_election_master_status: {
    type: 'gauge',
    help: 'Whether this process leads (1), or waits (0); absent without leader election.',
    labels: ['name'],
  },
  rolecall_objects: {
    type: 'gauge',
    help: 'Custom resources by kind and by the status of their condition Ready (none: no status yet).',
    labels: ['kind', 'ready'],
  },
  rolecall_stalled_objects: {
    type: 'gauge',
    help: 'Custom resources that stay as they are until a person changes something, by kind.',
    labels: ['kind'],
  },
  rolecall_permissions: {
    type: 'gauge',
    help: 'Permissions by state: Pending (not granted, or not begun), Active (granted, in their window), Expired.',
    labels: ['state'],
  },
  rolecall_permissions_expiring: {
    type: 'gauge',
    help: 'Active permissions that end within 1h, 24h and 7d.',
    labels: ['within'],
  },
  rolecall_permission_next_expiry_timestamp_seconds: {
    type: 'gauge',
    help: 'When the next active permission ends, since 1970; absent where none does.',
    labels: [],
  },
  rolecall_permission_transition_delay_seconds: {
    type: 'histogram',
    help: 'Delay until the status of a permission says Active or Expired.',
    labels: ['state'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600],
  },
  rolecall_drift_corrected_total: {
    type: 'counter',
    help: 'Unchanged objects that differed in the workspace and were corrected there, by kind.',
    labels: ['kind'],
  },
  rolecall_undeclared_removed_total: {
    type: 'counter',
    help: 'Undeclared objects that were removed from exact collections, by kind.',
    labels: ['kind'],
  },
  rolecall_service_clock_skew_seconds: {
    type: 'gauge',
    help: "How far a service's clock is ahead of the operator's, by namespace and name of the Workspace.",
    labels: ['workspace'],
  },
  rolecall_apiserver_contact_age_seconds: {
    type: 'gauge',
    help: 'Time since the last sign of life of the API server.',
    labels: [],
  },
  rolecall_operator_build_info: {
    type: 'gauge',
    help: 'Always 1; the labels say what runs.',
    labels: ['version', 'node'],
  },
  ...processTable,
} as const satisfies Record<string, MetricDefinition>;
