import type { PersonOperationId } from '@rolecall/api';
import type { Actor } from '../audit/entry.ts';
import { requestStore } from '../handlers/request-store.ts';
import type { PersonAsker, PersonServices, PersonStore } from './handler.ts';

/** Makes the store for one request of a person. A person is no manager, but what they delete is forgotten. */
export function personStore(
  services: PersonServices,
  { operation, person, asker }: { operation: PersonOperationId; person: string | undefined; asker: PersonAsker },
): PersonStore {
  const storeOf = (author: string | undefined) => {
    const actor: Actor =
      author === undefined ? { type: 'anonymous', id: asker.address } : { type: 'person', id: author };
    return requestStore(services, { operation, actor, requestId: asker.requestId });
  };
  const { read, write, note } = storeOf(person);
  return {
    read,
    write: (changes, work, author) =>
      author === undefined ? write(changes, work) : storeOf(author).write(changes, work),
    note,
  };
}
