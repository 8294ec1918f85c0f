import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../handlers/handler.ts';
import { ReadyMade, ReadyStream } from '../ready-made.ts';
import { progress } from './connections.ts';
import { matchesWeakly, readTagList } from './entity-tag.ts';
import { asIs, requestIdHeader } from './headers.ts';

/** Sends an answer; to a client that has it already, only that it has not changed. */
export function send(request: FastifyRequest, reply: FastifyReply, answer: unknown, { digest }: Services): void {
  void reply
    .header(requestIdHeader, request.id)
    .header('content-type', request.answerType)
    .header('vary', 'accept')
    // Answers may carry passwords, and all of them say who reaches what: no proxy is to keep them.
    .header('cache-control', 'no-store');
  const body =
    answer instanceof ReadyStream ? answer : answer instanceof ReadyMade ? answer.bytes : JSON.stringify(answer);
  if (answer instanceof ReadyMade && answer.replayed) void reply.header('idempotency-replayed', 'true');
  const tag = request.method === 'GET' || request.method === 'HEAD' ? tagOf(answer, body, digest) : undefined;
  if (tag !== undefined) {
    // A stream may have changes that were made while it was read: it is equal in what it says, not in each byte.
    void reply.header('etag', `${body instanceof ReadyStream ? 'W/' : ''}"${tag}"`);
    const known = request.headers['if-none-match'];
    if (known !== undefined && matchesWeakly(readTagList('If-None-Match', known), tag)) {
      if (body instanceof ReadyStream) body.stream.destroy();
      void reply.code(304).removeHeader('content-type').send();
      return;
    }
  }
  if (body instanceof ReadyStream) sendStream(request, reply, body);
  else void reply.serializer(asIs).send(inPieces(reply, body));
}

/** Rows of a query have no tag, for which all of them would have to be read before. */
function tagOf(answer: unknown, body: string | Buffer | ReadyStream, digest: Services['digest']): string | undefined {
  if (body instanceof ReadyStream) return body.state === undefined ? undefined : digest.tag(body.state);
  return answer instanceof ReadyMade ? (answer.tag ??= digest.tag(body)) : digest.tag(body);
}

function sendStream(request: FastifyRequest, reply: FastifyReply, { stream, length }: ReadyStream): void {
  if (length !== undefined) void reply.header('content-length', length);
  if (request.method === 'HEAD') {
    stream.destroy();
    void reply.send();
    return;
  }
  const pieces = Readable.from(cut(stream), { objectMode: false });
  // Not in the generator: one that nobody began to read would never get to its end.
  pieces.once('close', () => stream.destroy());
  void reply.send(pieces);
}

/**
 * A large body as pieces, of which the connection has one at a time: that a client takes them is seen, and only what is on
 * its way is copied for it.
 */
export function inPieces(reply: FastifyReply, body: string | Buffer): string | Buffer | Readable {
  if (body.length <= progress || reply.request.method === 'HEAD') return body;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  void reply.header('content-length', bytes.length);
  let at = 0;
  return new Readable({
    highWaterMark: progress,
    read() {
      this.push(at < bytes.length ? bytes.subarray(at, (at += progress)) : null);
    },
  });
}

async function* cut(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const bytes of stream) {
    for (let at = 0; at < bytes.length; at += progress) yield bytes.subarray(at, at + progress);
  }
}
