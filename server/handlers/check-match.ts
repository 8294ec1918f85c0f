import { type OperationId, operationIds, type ParsedRequest, type Route } from '@rolecall/api';
import { JsonBytes, JsonStream } from '../json-answer.ts';
import { readList } from '../pages.ts';
import { Refusal } from '../refusal.ts';
import type { Executor } from '../store/store.ts';
import type { Context, Handlers, Services } from './handler.ts';

/**
 * Checks If-Match against the object that an operation changes, in the transaction of the change, so that nothing comes
 * between.
 *
 * @param isCurrent tells whether the client named this entity tag
 * @returns undefined for an operation that takes no If-Match
 */
export function matchChecker(
  { changes }: Route,
  { params }: { params: unknown },
  parts: { handlers: Handlers; services: Services; isCurrent: (tag: string) => boolean },
): ((executor: Executor) => Promise<void>) | undefined {
  const shower = operationIds.find((id) => id === changes);
  if (shower === undefined) return undefined;
  const { handlers, services, isCurrent } = parts;
  return async (executor) => {
    // Its path has no parameters but those of the operation that changes, as a test holds.
    const request = { params, query: {}, body: undefined } as ParsedRequest<typeof shower>;
    const answer = await show(handlers, shower, request, {
      ...services,
      store: readOnly(executor),
      keyId: '',
      manager: undefined,
      asker: { address: '', requestId: '' },
    });
    if (isCurrent(tagOf(answer, services) ?? '')) return;
    throw new Refusal('precondition_failed', 'it changed since the ETag in If-Match was given, and was left as it is');
  };
}

/** The entity tag of an answer, without quotes; undefined for a list that is too long to have one. */
function tagOf(answer: unknown, { digest }: Pick<Services, 'digest'>): string | undefined {
  if (answer instanceof JsonStream) return undefined;
  if (!(answer instanceof JsonBytes)) return digest.tag(JSON.stringify(answer));
  answer.tag ??= digest.tag(answer.bytes);
  return answer.tag;
}

/** The type parameter ties the request to its handler. */
function show<Id extends OperationId>(handlers: Handlers, id: Id, request: ParsedRequest<Id>, context: Context) {
  return handlers[id](request, context);
}

function readOnly(executor: Executor): Context['store'] {
  const refuse = () => Promise.reject(new Error('what only shows an object must not write'));
  return {
    read: (work) => work(executor),
    snapshot: refuse,
    // A transaction awaits nothing but its own statements.
    list: (pages, frame) => readList((work) => work(executor), [pages], { frame, pause: () => Promise.resolve() }),
    write: refuse,
    create: refuse,
    note: refuse,
  };
}
