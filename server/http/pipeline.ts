import type { Operation, Route } from '@rolecall/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../handlers/handler.ts';
import type { CheckAnswer } from './check-answer.ts';
import { OwnAnswer } from './messages/own-answer.ts';
import { type AnswerType, chooseAnswerType, type Parsed, rawRequest, requestParser } from './messages/parse-request.ts';
import { send, sendProblem } from './messages/send-answer.ts';
import { methodsOf } from './unknown-route.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The media type that the caller chose. */
    answerType: AnswerType;
  }
}

/** An operation of either API. Its hooks are all that the two do differently. */
export interface PipedOperation<Context> {
  readonly route: Operation & Pick<Route, 'alsoMethod'>;
  /** The largest body, in bytes. */
  readonly bodyLimit: number;
  /** Media types of an answer that is no JSON; `redirect` for one that only leads a browser on. */
  readonly sends?: readonly string[] | undefined;
  /**
   * Identifies the caller, and refuses one who may not use the operation or sends too many requests. Runs before the body is
   * read: an unknown caller cannot make the service hold a large one.
   *
   * @throws Refusal
   */
  readonly admit: (request: FastifyRequest) => Promise<void>;
  /**
   * Makes the context of the handler: the store, with the author of its changes and the request's conditions, such as If-Match.
   * Refuses a request for an object that the caller does not reach.
   *
   * @throws Refusal
   */
  readonly prepare: (request: FastifyRequest, parsed: Parsed, reply: FastifyReply) => Promise<Context>;
  /** Does the operation. @returns its answer: a JSON value, `JsonBytes`, a `JsonStream` or an `OwnAnswer` */
  readonly handle: (parsed: Parsed, context: Context) => Promise<unknown>;
}

export interface PipelineParts {
  readonly services: Pick<Services, 'digest' | 'storeIdentity'>;
  /** Holds every answer to its schema, in tests. */
  readonly checkAnswer?: CheckAnswer;
}

/**
 * Registers one operation. Its requests go through the same stages in both APIs: admit the caller, choose the type of the answer, read
 * and check the request, prepare, handle, answer. What a stage throws is answered as a problem.
 */
export function registerOperation<Context>(
  app: FastifyInstance,
  { route, bodyLimit, sends, admit, prepare, handle }: PipedOperation<Context>,
  { services, checkAnswer }: PipelineParts,
): void {
  const parse = requestParser(route);

  async function respond(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const parsed = parse(rawRequest(request));
    const answer = await handle(parsed, await prepare(request, parsed, reply));
    if (answer instanceof OwnAnswer) {
      await answer.send(reply);
      return;
    }
    checkAnswer?.(route, answer);
    send(request, reply, answer, services);
  }

  app.route({
    method: methodsOf(route),
    url: route.path,
    config: { isVisited: sends?.includes('redirect') === true },
    bodyLimit,
    onRequest: async (request) => {
      await admit(request);
      if (sends === undefined) chooseAnswerType(request);
    },
    handler: (request, reply) => {
      respond(request, reply).catch((error: unknown) => {
        sendProblem(error, request, reply);
      });
    },
  });
}
