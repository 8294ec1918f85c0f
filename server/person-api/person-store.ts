import type { PersonOperationId } from '@rolecall/api';
import type { Actor, Change } from '../audit/entry.ts';
import { noteDeclarations } from '../store/declaration.ts';
import { noteManager } from '../store/manager.ts';
import type { PersonAsker, PersonServices, PersonStore } from './handler.ts';

/** The store for one request of a person: it records every change in the audit trail, with its author and the operation. */
export function personStore(
  { store, clock, onError }: PersonServices,
  { operation, person, asker }: { operation: PersonOperationId; person: string | undefined; asker: PersonAsker },
): PersonStore {
  const entry = (author: string | undefined, changes: readonly Change[]) => {
    const actor: Actor =
      author === undefined ? { type: 'anonymous', id: asker.address } : { type: 'person', id: author };
    return { at: clock().toISOString(), actor, operation, requestId: asker.requestId, changes };
  };
  return {
    read: store.read,
    write: (changes, work, author = person) =>
      store.write(changes, async (executor, record) => {
        const made: Change[] = [];
        const result = await work(executor, (some) => {
          for (const one of some) made.push(one);
        });
        if (made.length > 0) record(entry(author, made));
        // A person is no manager, but what they delete is forgotten.
        await noteManager(executor, made, undefined, clock().toISOString());
        await noteDeclarations(executor, made, undefined, clock().toISOString());
        return result;
      }),
    note: async (changes) => {
      try {
        await store.write([], (_executor, record) => {
          record(entry(person, changes));
        });
      } catch (error) {
        onError(error, 'the audit trail has no entry for this request');
      }
    },
  };
}
