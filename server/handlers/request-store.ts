import type { OperationId, PersonOperationId } from '@rolecall/api';
import type { Actor, Change } from '../audit/entry.ts';
import { doOnce, type KeyedRequest } from '../idempotency/once.ts';
import { readList } from '../pages.ts';
import { forgetDeclared, noteDeclared } from '../store/declaration.ts';
import { type Manager, noteManager } from '../store/manager.ts';
import type { Collection, Executor, MaybePromise } from '../store/store.ts';
import type { RequestStore, Services, Work } from './handler.ts';

/** Per-request context of the store: the author of its changes, Idempotency-Key, manager, If-Match. */
export interface Asked {
  readonly operation: OperationId | PersonOperationId;
  readonly actor: Actor;
  readonly requestId: string;
  /** Set where the request came with an Idempotency-Key. */
  readonly keyed?: KeyedRequest | undefined;
  /** The manager that the request names, if any. */
  readonly manager?: Manager | undefined;
  /** Holds the object to the request's If-Match, in the transaction of the change. @throws Refusal */
  readonly checkMatch?: ((executor: Executor) => Promise<void>) | undefined;
}

/** Changes in an entry of the audit trail, at most: entries are hashed, sent and shown as a whole. */
const mostChanges = 1000;

/** Makes the store for one request: it records every change in the audit trail, with its author and the operation. */
export function requestStore(
  services: Pick<Services, 'store' | 'seal' | 'digest' | 'clock' | 'onError'>,
  asked: Asked,
): RequestStore {
  const { store, clock, onError } = services;
  const { operation, actor, requestId, keyed, manager, checkMatch } = asked;
  const entry = (changes: readonly Change[]) => ({ at: clock().toISOString(), actor, operation, requestId, changes });

  /** @param shield does the work, or gives its earlier answer */
  const change = <T, R>(
    changes: readonly Collection[],
    work: Work<T>,
    shield: (executor: Executor, checked: () => Promise<T>) => MaybePromise<R>,
  ): Promise<R> =>
    store.write(manager?.declares === undefined ? changes : [...changes, 'declaration'], async (executor, record) => {
      const made: Change[] = [];
      const result = await shield(executor, async () => {
        await checkMatch?.(executor);
        return work(executor, (some) => {
          for (const change of some) made.push(change);
        });
      });
      // A request that changed nothing, such as locking a locked person, is not recorded.
      for (let at = 0; at < made.length; at += mostChanges) {
        const some = made.slice(at, at + mostChanges);
        record(entry(some));
        await noteManager(executor, some, manager, clock().toISOString());
        await forgetDeclared(executor, some);
      }
      await noteDeclared(executor, made, manager, clock().toISOString());
      return result;
    });

  const write: RequestStore['write'] = (changes, work) => change(changes, work, (_executor, checked) => checked());

  return {
    read: store.read,
    snapshot: store.snapshot,
    list: (pages, frame) => readList(store.read, [pages], { frame }),
    write,
    create: (changes, work) =>
      keyed === undefined
        ? write(changes, work)
        : change(changes, work, (executor, checked) => doOnce(executor, keyed, services, checked)),
    note: async (changes) => {
      try {
        await store.write([], (_executor, record) => {
          record(entry(changes));
        });
      } catch (error) {
        onError(error, 'the audit trail has no entry for this request');
      }
    },
  };
}
