import { problemBody, problemMediaType } from '@rolecall/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../refusal.ts';
import { asIs, requestIdHeader } from './headers.ts';
import { toRefusal } from './to-refusal.ts';

/** Answers an error; the log gets the cause of one that is not the client's. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal =
    toRefusal(error, request.routeOptions.bodyLimit) ??
    new Refusal('internal_error', 'the service failed', { cause: error });
  if (refusal.cause !== undefined) request.log.error({ err: refusal.cause }, refusal.message);
  const more = { requestId: request.id, ...(refusal.errors === undefined ? {} : { errors: refusal.errors }) };
  void reply
    .code(refusal.status)
    .headers(refusal.headers)
    .header(requestIdHeader, request.id)
    .header('content-type', problemMediaType)
    .serializer(asIs)
    .send(JSON.stringify(problemBody(refusal.code, refusal.message, more)));
}
