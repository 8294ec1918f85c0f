import {
  type PersonAnswerOf,
  type PersonOperationId,
  type PersonRequestOf,
  personRouteTable,
} from '../person-api/routes.ts';
import { type AnswerOf, type OperationId, type RequestOf, routeTable } from '../routes.ts';
import { perform } from './call.ts';
import type { CallOptions } from './call-options.ts';
import {
  type ClientOptions,
  type PersonClientOptions,
  readOptions,
  readPersonOptions,
  type Settings,
} from './options.ts';
import { type LooseRequest, toOutgoing } from './outgoing.ts';
import type { Repeatable } from './retry.ts';
import { openTransport } from './transport.ts';

export interface Client extends AsyncDisposable {
  /**
   * Calls an operation.
   *
   * @param request path parameters, query string and body, as far as the operation has them
   * @returns the answer, checked against the wire contract
   * @throws CallError if the call failed: ProblemError, NetworkError, TimeoutError, UnexpectedAnswerError,
   *   RedirectError, AbortedError or ClosedError; InvalidRequestError if the request could not be written
   */
  call<Id extends OperationId>(
    operationId: Id,
    request: RequestOf<Id>,
    options?: CallOptions<AnswerOf<Id>>,
  ): Promise<AnswerOf<Id>>;
  /** Returns the identity of the store that answered last; undefined before the first answer, and if the service does not tell. */
  store(): string | undefined;
  /** Waits for the calls under way, then closes the connections. Calls that come later are refused. */
  close(): Promise<void>;
}

/** Options for a call of the person's API, which has neither Idempotency-Keys nor managers. */
export type PersonCallOptions<Answer = unknown> = Pick<CallOptions<Answer>, 'signal' | 'cachedAnswer' | 'onTag'>;

/** A client of the person's API, for one person. */
export interface PersonClient extends AsyncDisposable {
  /** Calls an operation. Throws the same errors as `Client`. */
  call<Id extends PersonOperationId>(
    operationId: Id,
    request: PersonRequestOf<Id>,
    options?: PersonCallOptions<PersonAnswerOf<Id>>,
  ): Promise<PersonAnswerOf<Id>>;
  /** Waits for the calls under way, then closes the connections. Calls that come later are refused. */
  close(): Promise<void>;
}

/**
 * Creates a client of the workspace service. It reads `caFile` now and connects with the first call.
 *
 * @throws OptionsError
 */
export function createClient(options: ClientOptions): Client {
  const { call, store, close } = openCaller(readOptions(options));
  return {
    call: async <Id extends OperationId>(id: Id, request: RequestOf<Id>, given: CallOptions<AnswerOf<Id>> = {}) =>
      // Each operation's request is a narrower form of the loose one, and its answer is checked against its schema.
      (await call(routeTable[id], request as LooseRequest, given)) as AnswerOf<Id>,
    store,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Creates a client of the person's API, for a person with a command line session. It reads `caFile` now and connects with the
 * first call.
 *
 * @throws OptionsError
 */
export function createPersonClient(options: PersonClientOptions): PersonClient {
  const { call, close } = openCaller(readPersonOptions(options));
  return {
    call: async <Id extends PersonOperationId>(
      id: Id,
      request: PersonRequestOf<Id>,
      given: PersonCallOptions<PersonAnswerOf<Id>> = {},
    ) =>
      // As above.
      (await call(personRouteTable[id], request as LooseRequest, given)) as PersonAnswerOf<Id>,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Calls the operations of any route table. */
function openCaller(settings: Settings) {
  const transport = openTransport(settings);
  let store: string | undefined;
  const onStore = (told: string | undefined): void => {
    store = told;
  };
  return {
    call: async (operation: Repeatable['operation'], request: LooseRequest, options: CallOptions): Promise<unknown> => {
      const outgoing = toOutgoing(operation, request, settings, options);
      const signal = options.despiteAbort === true ? options.signal : eitherOf(settings.signal, options.signal);
      return perform({ operation, outgoing, settings, transport, signal, options, onStore });
    },
    store: () => store,
    close: () => transport.close(),
  };
}

function eitherOf(signal: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return signal !== undefined && other !== undefined ? AbortSignal.any([signal, other]) : (signal ?? other);
}
