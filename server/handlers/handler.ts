import type { AnswerOf, ConnectionTest, OperationId, ParsedRequest } from '@rolecall/api';
import type { Clock } from '../clock.ts';
import type { Guard } from '../databases/guard/index.ts';
import type { ListCache } from '../list-cache.ts';
import type { Queries } from '../queries/index.ts';
import type { ReadyMade, ReadyStream } from '../ready-made.ts';
import type { Seal } from '../secrets/seal.ts';
import type { Store } from '../store/store.ts';

/** What handlers work with. */
export interface Context {
  readonly store: Store;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly lists: ListCache;
  readonly queries: Queries;
  /** Says where data sources may lead. */
  readonly guard: Guard;
  /** Connects to a data source, within a bounded time. */
  readonly testConnection: (uri: string) => Promise<ConnectionTest>;
}

/** Does one operation: what it takes is parsed and valid, who asks may do it. @throws Refusal */
export type Handler<Id extends OperationId> = (
  request: ParsedRequest<Id>,
  context: Context,
) => Promise<AnswerOf<Id> | ReadyMade | ReadyStream>;

/** The answer of an operation that has nothing to say: `{}`. */
export type Nothing = AnswerOf<'lockPerson'>;

export type Handlers = { [Id in OperationId]: Handler<Id> };
