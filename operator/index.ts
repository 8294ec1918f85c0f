export { type OperatorOptions, runOperator } from './controllers/operator.ts';
export { type Clock, systemClock } from './runtime/clock.ts';
export { type Connection, ConnectionError, connectionOf, findConnection } from './runtime/connection.ts';
export { createSession, type KubeSession } from './runtime/session.ts';
