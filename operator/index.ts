export { type OperatorOptions, runOperator } from './controllers/operator.ts';
export { BindAddressError, parseBindAddress } from './metrics/bind-address.ts';
export { createOperatorMetrics, type OperatorMetrics } from './metrics/operator-metrics.ts';
export { type StatusServers, serveStatus } from './metrics/serve-status.ts';
export { leaseName } from './rbac/rules.ts';
export { type Clock, systemClock } from './runtime/clock.ts';
export { type Connection, ConnectionError, connectionOf, findConnection } from './runtime/connection.ts';
export { keepHeapSmall } from './runtime/memory.ts';
export { createSession, type KubeSession } from './runtime/session.ts';
