/** What a look at a workspace works with, and what it leaves for the next one. */

import type { Client } from '@rolecall/api';
import type { ExactCollection } from '@rolecall/crds';
import type { View } from '@rolecall/reconcile';
import type { OperatorMetrics } from '../metrics/operator-metrics.ts';
import type { NamedObjects } from '../resources/secrets-informer.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Verdict } from '../status/conditions.ts';
import type { Limit } from '../status/limiter.ts';
import type { Writer } from '../status/status-writer.ts';
import type { Connections } from './client-pool.ts';
import type { Log } from './log.ts';
import type { Member } from './object-index.ts';

export interface PassContext {
  readonly clock: Clock;
  readonly writer: Writer;
  readonly named: NamedObjects;
  readonly connections: Connections;
  readonly signal: AbortSignal;
  /** How many calls of a service are under way at a time. */
  readonly concurrency: number;
  /** Bounds what is written to the API server at a time. */
  readonly limit: Limit;
  /** Counts what is done. */
  readonly metrics?: Pick<OperatorMetrics, 'queue' | 'timed' | 'corrected' | 'removed'> | undefined;
  readonly log: Log;
}

/** What is remembered of a workspace from one look to the next. */
export interface Memory {
  /** What is in the workspace, as far as it is known; absent where it has to be read. */
  view?: View | undefined;
  /** Whether it has to be read again: because it is time to, or because what was done may not be what was meant. */
  isStale?: 'drift' | 'doubt' | undefined;
  /** Whether it is time to compare everything with the workspace, where that is other than it was. */
  isPassDue?: boolean;
  /** Whether another view was read since everything was last compared. */
  isUncompared?: boolean;
  /** Collections in which nothing undeclared was held back the last time that everything was planned. */
  ranExactly?: { readonly url: string; readonly collections: readonly ExactCollection[] };
  /** The client that the view reads with. */
  client?: Client | undefined;
  /** Objects that the service refused, as they were then: only another wish is worth another call. */
  readonly refused: Map<string, { readonly wish: string; readonly verdict: Verdict }>;
  /** Objects that somebody touched since they were last planned: what they are refused by now may be over. */
  readonly touched: Set<string>;
  /** Deleted objects that are held, as a protected role would have nobody without them: until that has somebody else. */
  readonly lastMembers: Set<string>;
  /** Objects whose Secret or ConfigMap became another one since they were last converged: what differs then is no drift. */
  readonly renewed: Set<string>;
}

/** Told how each object of a look has come out of it, once for each and as soon as it is known. */
export type Report = (member: Member, verdict: Verdict, error?: Error) => void;
