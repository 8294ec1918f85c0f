import type { AnswerOf, ConnectionTest, ExchangedKey, OperationId, ParsedRequest } from '@rolecall/api';
import type { Gate } from '../access/gate.ts';
import type { Change, RecordChanges } from '../audit/entry.ts';
import type { Clock } from '../clock.ts';
import type { Guard } from '../databases/guard/index.ts';
import type { JsonBytes, JsonStream } from '../json-answer.ts';
import type { Lists } from '../list-cache.ts';
import type { Frame, List } from '../pages.ts';
import type { Queries } from '../queries/index.ts';
import type { KeyedDigest } from '../secrets/keyed-digest.ts';
import type { Seal } from '../secrets/seal.ts';
import type { Mailer } from '../sign-in/mailer.ts';
import type { Sessions } from '../sign-in/sessions.ts';
import type { PasswordComparison } from '../snapshot/comparison.ts';
import type { SnapshotSlots } from '../snapshot/slots.ts';
import type { Pages } from '../store/pages.ts';
import type { Collection, Executor, MaybePromise, Store } from '../store/store.ts';

/** Parts that all handlers work with. */
export interface Services {
  readonly store: Store;
  /** The identity of the store, as its answers tell it. */
  readonly storeIdentity: string;
  readonly seal: Seal;
  readonly digest: KeyedDigest;
  readonly clock: Clock;
  readonly lists: Lists;
  readonly queries: Queries;
  /** Says where data sources may lead. */
  readonly guard: Guard;
  /** Connects to a data source, within a bounded time. */
  readonly testConnection: (uri: string) => Promise<ConnectionTest>;
  /** Form in which the audit trail shows statements: their texts, bounded, or only digests. */
  readonly auditStatements: 'text' | 'digest';
  /** Exchanges the token of a pipeline for an API key. @throws Refusal */
  readonly exchange: (token: string, asker: Asker) => Promise<ExchangedKey>;
  /** The address under which browsers reach the service, as in https://rolecall.example.com. */
  readonly origin: () => string | undefined;
  readonly sessions: Sessions;
  /** The name of the role whose members are administrators; undefined: there are none. */
  readonly adminRole: string | undefined;
  readonly snapshotSlots: SnapshotSlots;
  readonly comparison: PasswordComparison;
  readonly gate: Gate;
  /** Undefined where the service was started without a mail server. */
  readonly mailer: Mailer | undefined;
  /** Logs an error that does not fail a request. */
  readonly onError: (error: unknown, what: string) => void;
}

/** The caller of a request, as far as it is known without a key. */
export interface Asker {
  readonly address: string;
  readonly requestId: string;
}

/** Parts that a request works with. */
export interface Context extends Omit<Services, 'store' | 'onError'> {
  readonly store: RequestStore;
  /** The id of the key of the request. */
  readonly keyId: string;
  /** The name of the manager that the request names, if any. */
  readonly manager: string | undefined;
  readonly asker: Asker;
}

/** Makes a change for a request. What it records is in the audit trail as soon as the change is in the store. */
export type Work<T> = (executor: Executor, record: RecordChanges) => MaybePromise<T>;

/** The store, as one request may use it. */
export interface RequestStore {
  readonly read: Store['read'];
  readonly snapshot: Store['snapshot'];
  /** Reads a list, which becomes a stream where it is long. */
  readonly list: <T, Cursor>(pages: Pages<T, Cursor>, frame?: Frame) => Promise<List<T>>;
  /** As `Store.write`; before the work, holds the object to the request's If-Match. @throws Refusal precondition_failed */
  readonly write: <T>(changes: readonly Collection[], work: Work<T>) => Promise<T>;
  /**
   * As `write`, for an operation that creates something: with an Idempotency-Key the work is done once.
   *
   * @param work gives the answer of the operation
   * @throws Refusal idempotency_key_reused
   */
  readonly create: <T>(changes: readonly Collection[], work: Work<T>) => Promise<T | JsonBytes>;
  /** Records something that changed nothing in the store. Does not fail if the store cannot be written. */
  readonly note: (changes: readonly Change[]) => Promise<void>;
}

/** Does one operation. Its input is valid, and the caller may do it. @throws Refusal */
export type Handler<Id extends OperationId> = (
  request: ParsedRequest<Id>,
  context: Context,
) => Promise<AnswerOf<Id> | JsonBytes | JsonStream>;

/** The answer of an operation without a result: `{}`. */
export type Nothing = AnswerOf<'lockPerson'>;

export type Handlers = { [Id in OperationId]: Handler<Id> };
