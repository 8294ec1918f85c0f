import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../handlers/handler.ts';
import { ReadyMade, ReadyStream } from '../ready-made.ts';
import { matchesWeakly, readTagList } from './entity-tag.ts';
import { asIs, requestIdHeader } from './headers.ts';
import { timeLimits } from './limits.ts';

/** Sends an answer; to a client that has it already, only that it has not changed. */
export function send(request: FastifyRequest, reply: FastifyReply, answer: unknown, { digest }: Services): void {
  void reply
    .header(requestIdHeader, request.id)
    .header('content-type', request.answerType)
    .header('vary', 'accept')
    // Answers may carry passwords, and all of them say who reaches what: no proxy is to keep them.
    .header('cache-control', 'no-store');
  if (answer instanceof ReadyStream) {
    sendStream(request, reply, answer);
    return;
  }
  const body = answer instanceof ReadyMade ? answer.bytes : JSON.stringify(answer);
  if (answer instanceof ReadyMade && answer.replayed) void reply.header('idempotency-replayed', 'true');
  if (request.method === 'GET' || request.method === 'HEAD') {
    const tag = answer instanceof ReadyMade ? (answer.tag ??= digest.tag(body)) : digest.tag(body);
    void reply.header('etag', `"${tag}"`);
    const known = request.headers['if-none-match'];
    if (known !== undefined && matchesWeakly(readTagList('If-None-Match', known), tag)) {
      void reply.code(304).removeHeader('content-type').send();
      return;
    }
  }
  void reply.serializer(asIs).send(body);
}

/** Rows of a query; they have no ETag, for which all of them would have to be read before. */
function sendStream(request: FastifyRequest, reply: FastifyReply, { stream, length }: ReadyStream): void {
  void reply.header('content-length', length);
  if (request.method === 'HEAD') {
    stream.destroy();
    void reply.send();
    return;
  }
  // Nobody may hold a file open by not reading on. Smaller answers are out of the service's hands at once.
  reply.raw.setTimeout(timeLimits.silence);
  void reply.send(stream);
}
