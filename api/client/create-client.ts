import { type AnswerOf, type OperationId, type RequestOf, routeTable } from '../routes.ts';
import { perform } from './call.ts';
import type { CallOptions } from './call-options.ts';
import { type ClientOptions, readOptions } from './options.ts';
import { type LooseRequest, toOutgoing } from './outgoing.ts';
import { openTransport } from './transport.ts';

export interface Client {
  /**
   * Calls an operation.
   *
   * @param request path parameters, query string and body, as far as the operation takes them
   * @returns the answer, checked against the wire contract
   * @throws CallError when the call failed: ProblemError, NetworkError, TimeoutError, UnexpectedAnswerError,
   *   RedirectError, AbortedError or ClosedError; InvalidRequestError when it could not be written
   */
  call<Id extends OperationId>(
    operationId: Id,
    request: RequestOf<Id>,
    options?: CallOptions<AnswerOf<Id>>,
  ): Promise<AnswerOf<Id>>;
  /** Waits for the calls under way, then closes the connections. Calls that come later are refused. */
  close(): Promise<void>;
}

/**
 * A client of the workspace service. Nothing is sent before the first call; `caFile` is read now.
 *
 * @throws OptionsError
 */
export function createClient(options: ClientOptions): Client {
  const settings = readOptions(options);
  const transport = openTransport(settings);
  return {
    call: async <Id extends OperationId>(
      operationId: Id,
      request: RequestOf<Id>,
      callOptions: CallOptions<AnswerOf<Id>> = {},
    ) => {
      const route = routeTable[operationId];
      // Each operation's request is a narrower form of the loose one; the type parameter hides that.
      const loose = request as LooseRequest;
      const outgoing = toOutgoing(operationId, route, loose, settings, callOptions);
      const signal = eitherOf(settings.signal, callOptions.signal);
      const answer = await perform({ operationId, route, outgoing, settings, transport, signal, options: callOptions });
      // Checked against the same operation's schema.
      return answer as AnswerOf<Id>;
    },
    close: () => transport.close(),
  };
}

function eitherOf(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one !== undefined && other !== undefined ? AbortSignal.any([one, other]) : (one ?? other);
}
