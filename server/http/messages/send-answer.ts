import { Readable } from 'node:stream';
import { type ProblemCode, problemBody, problemMediaType } from '@rolecall/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../handlers/handler.ts';
import { JsonBytes, JsonStream } from '../../json-answer.ts';
import { malformed, messagesOf, Refusal } from '../../refusal.ts';
import { AuditTrailError, StoreKeyChangedError, StoreUnavailableError, UniqueError } from '../../store/errors.ts';
import { progress } from '../connections.ts';
import { matchesWeakly, readTagList } from './entity-tag.ts';
import { isVisit, problemPage } from './problem-page.ts';

/** Sends an answer, or 304 to a client that already has it. */
export function send(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: unknown,
  services: Pick<Services, 'digest' | 'storeIdentity'>,
): void {
  void reply.header(requestIdHeader, request.id).header('content-type', request.answerType).header('vary', 'accept');
  const body =
    answer instanceof JsonStream ? answer : answer instanceof JsonBytes ? answer.bytes : JSON.stringify(answer);
  if (answer instanceof JsonBytes && answer.replayed) void reply.header('idempotency-replayed', 'true');
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  // A comparison shows the state that a snapshot shows, so that its reader can ask for what changed since.
  const tag = isRead || body instanceof JsonStream ? tagOf(answer, body, services) : undefined;
  if (tag !== undefined) {
    // Most streams may include changes made while they were read, so two with the same tag may differ in bytes.
    const isWeak = body instanceof JsonStream && !(body.isExact && isRead);
    void reply.header('etag', `${isWeak ? 'W/' : ''}"${tag}"`);
    if (isRead && isKnown(request, tag, body)) {
      if (body instanceof JsonStream) body.stream.destroy();
      void reply.code(304).removeHeader('content-type').send();
      return;
    }
  }
  if (body instanceof JsonStream) sendStream(request, reply, body);
  else void reply.serializer(asIs).send(inPieces(reply, body));
}

/** True if the client has this answer. @throws Refusal malformed_request */
function isKnown({ headers }: FastifyRequest, tag: string, body: string | Buffer | JsonStream): boolean {
  const knownTags = headers['if-none-match'];
  try {
    return knownTags !== undefined && matchesWeakly(readTagList('If-None-Match', knownTags), tag);
  } catch (error) {
    // Otherwise it would keep its slot and its transaction.
    if (body instanceof JsonStream) body.stream.destroy();
    throw error;
  }
}

/** Rows of a query have no tag: it would need all of them to be read first. */
function tagOf(
  answer: unknown,
  body: string | Buffer | JsonStream,
  { digest, storeIdentity }: Pick<Services, 'digest' | 'storeIdentity'>,
): string | undefined {
  if (body instanceof JsonStream) {
    // Its state counts changes: another store with the same key may have as many.
    return body.state === undefined ? undefined : digest.tag(`${storeIdentity} ${body.state}`);
  }
  return answer instanceof JsonBytes ? (answer.tag ??= digest.tag(body)) : digest.tag(body);
}

function sendStream(request: FastifyRequest, reply: FastifyReply, { stream, length }: JsonStream): void {
  if (length !== undefined) void reply.header('content-length', length);
  if (request.method === 'HEAD') {
    stream.destroy();
    void reply.send();
    return;
  }
  const pieces = Readable.from(cut(stream), { objectMode: false });
  // Not in the generator: one that was never started would not reach its end.
  pieces.once('close', () => stream.destroy());
  void reply.send(pieces);
}

/**
 * Sends a large body in pieces, one at a time: the service sees whether the client reads them, and copies only the piece on
 * its way.
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

export const requestIdHeader = 'x-request-id';

/** Without a serializer, Fastify would add a charset, which JSON does not have. */
export const asIs = (text: string): string => text;

/** Answers an error; the log gets the cause: a warning without a stack of what the client did wrong, which anyone can do at any time. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal =
    toRefusal(error, request.routeOptions.bodyLimit) ??
    new Refusal('internal_error', 'the service failed', { cause: error });
  if (refusal.cause !== undefined) logCause(refusal, request);
  void reply.code(refusal.status).headers(refusal.headers).header(requestIdHeader, request.id).serializer(asIs);
  if (isVisit(request)) {
    void reply.header('content-type', 'text/html; charset=utf-8').send(problemPage(refusal));
    return;
  }
  const more = { requestId: request.id, ...(refusal.errors === undefined ? {} : { errors: refusal.errors }) };
  void reply
    .header('content-type', problemMediaType)
    .send(JSON.stringify(problemBody(refusal.code, refusal.message, more)));
}

/** Failures that the log has: one that is kept for a while, such as that of an issuer who is away, would be told at each request. */
const told = new WeakSet<object>();

function logCause({ status, cause, message }: Refusal, { log }: FastifyRequest): void {
  const isTold = cause instanceof Error && told.has(cause);
  if (status >= 500 && !isTold) {
    if (cause instanceof Error) told.add(cause);
    log.error({ err: cause }, message);
  } else log.warn({ reason: messagesOf(cause) }, message);
}

/** The errors that Fastify, and Node below it, find in a request. */
const ofRequest: Readonly<Record<string, [ProblemCode, string]>> = {
  FST_ERR_BAD_URL: ['malformed_parameter', 'the path is not valid percent-encoding of UTF-8'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'a part of the path is too long to be an identifier'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['malformed_request', 'the body is not as long as Content-Length says'],
  // The client left in the middle of its body: no one reads the answer, and the service has not failed.
  ECONNRESET: ['malformed_request', 'the body ended before it was complete'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'the Content-Type is not a media type'],
};

/**
 * Maps an error to what the client is told.
 *
 * @param bodyLimit of the operation that was asked for, in bytes
 * @returns undefined for a defect of the service, which is not shown to the client
 */
function toRefusal(error: unknown, bodyLimit: number): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof UniqueError) return conflictRefusal(error);
  if (error instanceof StoreUnavailableError && error.full) {
    const detail = 'the disk of the service is full; nothing of the request was stored';
    return new Refusal('storage_full', detail, { cause: error });
  }
  if (error instanceof StoreUnavailableError) {
    const stored = error.maybeStored ? 'whether the change was stored is unknown' : 'nothing of the request was stored';
    return new Refusal('unavailable', `the store cannot be used at the moment; ${stored}`, {
      headers: { 'retry-after': '1' },
      cause: error,
    });
  }
  if (error instanceof StoreKeyChangedError) {
    const detail =
      "the key of the service's store was changed, and the service does not have the new one yet; nothing of the request was stored";
    return new Refusal('unavailable', detail, { headers: { 'retry-after': '1' }, cause: error });
  }
  if (error instanceof AuditTrailError) {
    const detail =
      'the audit trail was changed in the database: the service stores nothing until an operator has resumed it';
    return new Refusal('audit_trail_broken', detail, { cause: error });
  }
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Refusal('payload_too_large', `the body has more than ${bodyLimit} bytes`);
  }
  const refusal = ofRequest[error.code];
  if (refusal !== undefined) return new Refusal(...refusal);
  // Whatever else Fastify blames the client for.
  const blamed = 'statusCode' in error && typeof error.statusCode === 'number' && error.statusCode < 500;
  return blamed && error.code.startsWith('FST_ERR_') ? malformed('the request cannot be read') : undefined;
}

/** Maps a unique column of the store to the conflict that a client is told. */
const conflicts: Readonly<Record<string, { code: ProblemCode; field: string; detail: string }>> = {
  'person.username_key': { code: 'username_taken', field: 'username', detail: 'another person has this username' },
  'person.email_key': { code: 'email_taken', field: 'email', detail: 'another person has this e-mail address' },
  'data_source.alias': { code: 'alias_taken', field: 'alias', detail: 'another data source has this alias' },
  'role.name': { code: 'role_name_taken', field: 'name', detail: 'another role has this name' },
};

/** The store finds conflicts as it writes: asking first would be a race. */
function conflictRefusal({ column }: UniqueError): Refusal | undefined {
  const conflict = conflicts[column];
  if (conflict === undefined) return undefined;
  const { code, field, detail } = conflict;
  return new Refusal(code, detail, { errors: [{ path: field, message: 'is taken' }] });
}
