import type { ProblemCode } from '@rolecall/api';
import { malformed, Refusal } from '../refusal.ts';
import { AuditTrailError, StoreKeyChangedError, StoreUnavailableError, UniqueError } from '../store/errors.ts';
import { conflictRefusal } from './conflicts.ts';

/** The errors that Fastify, and Node below it, find in a request. */
const ofRequest: Readonly<Record<string, [ProblemCode, string]>> = {
  FST_ERR_BAD_URL: ['malformed_parameter', 'the path is not valid percent-encoding of UTF-8'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'a part of the path is too long to be an identifier'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['malformed_request', 'the body is not as long as Content-Length says'],
  // The client went away in the middle of its body: nobody hears the answer, and it is no failure of the service.
  ECONNRESET: ['malformed_request', 'the body ended before it was complete'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'the Content-Type is not a media type'],
};

/**
 * What is said of an error to the client.
 *
 * @param bodyLimit of the operation that was asked for, in bytes
 * @returns undefined for a defect of the service, of which the client learns nothing
 */
export function toRefusal(error: unknown, bodyLimit: number): Refusal | undefined {
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
      'the audit trail was changed in the database: nothing is stored until the operator has looked into it';
    return new Refusal('audit_trail_broken', detail, { cause: error });
  }
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Refusal('payload_too_large', `the body has more than ${bodyLimit} bytes`);
  }
  const known = ofRequest[error.code];
  if (known !== undefined) return new Refusal(...known);
  // Whatever else Fastify blames the client for.
  const blamed = 'statusCode' in error && typeof error.statusCode === 'number' && error.statusCode < 500;
  return blamed && error.code.startsWith('FST_ERR_') ? malformed('the request cannot be read') : undefined;
}
