import type { IncomingHttpHeaders } from 'node:http';
import { type FieldError, jsonMediaType, type Operation, vendorMediaType } from '@rolecall/api';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { fieldErrors } from '../../field-errors.ts';
import { invalidFields, malformedParameters, Refusal } from '../../refusal.ts';
import { bodyReader, parseForm, type RawBody } from './read-body.ts';

export interface RawRequest extends RawBody {
  params: unknown;
  /** The query string, without its question mark. */
  query: string;
}

/** Checked parameters, query and body of a request. */
export interface Parsed {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: unknown;
  readonly body: unknown;
}

/** Makes the function that reads and checks every part of a request to one operation. */
export function requestParser(route: Operation): (raw: RawRequest) => Parsed {
  const readBody = bodyReader(route);
  const needsQuery = !route.query.safeParse({}).success;
  return (raw) => {
    const params = check(route.params, raw.params, malformedParameters);
    const query = raw.query === '' && !needsQuery ? noQuery : readQuery(route, raw.query);
    const fields = readBody(raw);
    const body = route.body === undefined ? undefined : check(route.body.schema, fields, invalidFields);
    return { params, query, body };
  };
}

const noQuery = Object.freeze({});

function readQuery(route: Operation, text: string): unknown {
  try {
    const values = Object.fromEntries(parseForm(text, 'the query string'));
    return check(route.query, values, malformedParameters);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'malformed_request') throw error;
    throw new Refusal('malformed_parameter', error.message, error.errors === undefined ? {} : { errors: error.errors });
  }
}

function check<T>(schema: z.ZodType<T>, value: unknown, refusal: (errors: FieldError[]) => Refusal): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  // Only now with the inputs, by which a missing field is told from one of the wrong type.
  const again = schema.safeParse(value, { reportInput: true });
  throw refusal(fieldErrors(again.error ?? result.error, schema));
}

/** Chooses the media type of the answer. @throws Refusal not_acceptable */
export function chooseAnswerType(request: FastifyRequest): void {
  const type = negotiate(request.headers.accept);
  if (type === undefined) {
    throw new Refusal('not_acceptable', 'the service answers in application/vnd.service.v2+json or application/json');
  }
  request.answerType = type;
}

/** The parts of a request that its operation reads. */
export function rawRequest(request: FastifyRequest): RawRequest {
  const { headers } = request;
  const mark = request.url.indexOf('?');
  return {
    params: request.params,
    query: mark === -1 ? '' : request.url.slice(mark + 1),
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
    bytes: request.body instanceof Buffer ? request.body : undefined,
    unread: (request.method === 'GET' || request.method === 'HEAD') && announcesBody(headers),
  };
}

function announcesBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Media types in which the service can answer. */
export type AnswerType = typeof jsonMediaType | typeof vendorMediaType;

interface Range {
  type: string;
  quality: number;
}

/**
 * Chooses the media type of an answer (RFC 9110, 12.5.1; DESIGN, Negotiation): the vendor type where the client asks
 * for it by name and does not like JSON better, else JSON.
 *
 * @param accept the header; undefined or empty accepts everything
 * @returns undefined where nothing that the service has is accepted
 */
export function negotiate(accept: string | undefined): AnswerType | undefined {
  if (accept === vendorMediaType) return vendorMediaType;
  if (accept === undefined || accept === '*/*' || accept.trim() === '') return jsonMediaType;
  const ranges = accept.split(',').flatMap(readRange);
  const json = qualityOf(jsonMediaType, ranges);
  const vendor = qualityOf(vendorMediaType, ranges);
  if (json === 0 && vendor === 0) return undefined;
  const named = ranges.some(({ type }) => type === vendorMediaType);
  return vendor > json || (named && vendor === json) ? vendorMediaType : jsonMediaType;
}

/** Returns the client's preference for a type, by the most specific range that covers it; 0 if none does. */
function qualityOf(type: AnswerType, ranges: readonly Range[]): number {
  for (const covering of [type, 'application/*', '*/*']) {
    const matching = ranges.filter((range) => range.type === covering);
    if (matching.length > 0) return Math.max(...matching.map(({ quality }) => quality));
  }
  return 0;
}

function readRange(text: string): Range[] {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  if (type === '') return [];
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (quality === undefined) return [{ type, quality: 1 }];
  return /^(0(\.[0-9]{0,3})?|1(\.0{0,3})?)$/.test(quality) ? [{ type, quality: Number(quality) }] : [];
}
