/** What a look at a workspace works with, and what it leaves for the next one. */

import type { View } from '@rolecall/reconcile';
import type { Clock } from '../runtime/clock.ts';
import type { Verdict } from './conditions.ts';
import type { Connections } from './connect.ts';
import type { CustomObject } from './custom-object.ts';
import type { NamedObjects } from './named-objects.ts';
import type { Writer } from './writer.ts';

export interface PassContext {
  readonly clock: Clock;
  readonly writer: Writer;
  readonly named: NamedObjects;
  readonly connections: Connections;
  readonly signal: AbortSignal;
  /** How many calls of the service, and writes to the API server, are under way at a time. */
  readonly concurrency: number;
  /** Told of the objects for which something was written to the workspace, as they stood before it. */
  readonly written?: ((objects: Iterable<CustomObject>) => void) | undefined;
}

/** What is remembered of a workspace from one look to the next. */
export interface Memory {
  /** What was read of it; absent once it was written, or has to be looked at again. */
  view?: View | undefined;
  /** Objects that the service refused, as they were then: only another wish is worth another call. */
  readonly refused: Map<string, { readonly wish: string; readonly verdict: Verdict }>;
}
