import { isUtf8 } from 'node:buffer';
import { formMediaType, jsonMediaType, type Operation } from '@rolecall/api';
import { z } from 'zod';
import { malformed, Refusal } from '../../refusal.ts';
import { jsonTokenLimits, jsonTokens } from '../limits/limits.ts';
import { parseJsonBody } from './json-body.ts';

export interface RawBody {
  contentType: string | undefined;
  contentEncoding: string | undefined;
  bytes: Buffer | undefined;
  /** True if the request has a body that is never read, as with GET. */
  unread: boolean;
}

/** Reads the body of one operation into what its schema takes; undefined where it takes none. */
export type BodyReader = (body: RawBody) => unknown;

const both = [formMediaType, jsonMediaType] as const;

export function bodyReader({ body, operationId }: Pick<Operation, 'body' | 'operationId'>): BodyReader {
  if (body === undefined) return refuseBody;
  const accepted: readonly BodyType[] = body.encoding === 'form' ? both : [jsonMediaType];
  const readForm = formReader(body.schema);
  const mostTokens = jsonTokenLimits[operationId] ?? jsonTokens;
  return (raw) => {
    // A missing body has no fields: the schema says which are required.
    if (raw.bytes === undefined || raw.bytes.length === 0) return {};
    const type = readContentType(raw.contentType, accepted);
    const text = decodeBody(raw, raw.bytes);
    return type === formMediaType ? readForm(parseForm(text, 'the body')) : parseJsonBody(text, mostTokens);
  };
}

/** Some clients send `{}` or an empty form along with every request. */
function refuseBody(raw: RawBody): undefined {
  if (raw.unread) throw malformed('the operation takes no body');
  if (raw.bytes === undefined || raw.bytes.length === 0) return undefined;
  if (raw.bytes.length < 100 && /^\s*(\{\s*\})?\s*$/.test(decodeBody(raw, raw.bytes))) return undefined;
  throw malformed('the operation takes no body');
}

function decodeBody({ contentEncoding }: RawBody, bytes: Buffer): string {
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
    throw new Refusal('unsupported_media_type', 'the body is compressed: send it as it is');
  }
  if (!isUtf8(bytes)) throw malformed('the body is not UTF-8');
  return bytes.toString('utf8');
}

export type BodyType = typeof formMediaType | typeof jsonMediaType;

/**
 * Reads the type that a body claims to have.
 *
 * @param header Content-Type
 * @param accepted the types that the operation takes
 * @throws Refusal unsupported_media_type
 */
function readContentType(header: string | undefined, accepted: readonly BodyType[]): BodyType {
  if (header === undefined || header.trim() === '') throw unsupported('the body has no Content-Type', accepted);
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim());
  const bodyType = accepted.find((candidate) => candidate === type.toLowerCase());
  if (bodyType === undefined) throw unsupported(`the operation does not take ${type.slice(0, 100)}`, accepted);
  for (const parameter of parameters) {
    const charset = /^charset=(.*)$/i.exec(parameter)?.[1];
    if (charset !== undefined && !/^"?utf-?8"?$/i.test(charset)) {
      throw unsupported(`the character set ${charset.slice(0, 100)} is not UTF-8`, accepted);
    }
  }
  return bodyType;
}

function unsupported(detail: string, accepted: readonly BodyType[]): Refusal {
  return new Refusal('unsupported_media_type', `${detail}: send ${accepted.join(' or ')} in UTF-8`);
}

/** More fields than any operation takes. */
const mostPairs = 1000;

/**
 * Reads `name=value` pairs joined with `&` (application/x-www-form-urlencoded), strictly: URLSearchParams would replace
 * what is no percent-encoding or no UTF-8 by something else, and would give one of two values of the same name.
 *
 * @param what names the text in an error, as in "the body"
 * @throws Refusal malformed_request
 */
export function parseForm(text: string, what: string): Map<string, string> {
  const fields = new Map<string, string>();
  if (text === '') return fields;
  const pairs = withSpaces(text).split('&', mostPairs + 1);
  if (pairs.length > mostPairs) throw malformed(`there are more than ${mostPairs} fields in ${what}`);
  for (const pair of pairs) {
    if (pair === '') continue;
    const cut = pair.indexOf('=');
    const name = decode(cut === -1 ? pair : pair.slice(0, cut), what);
    const shown = name.slice(0, 100);
    if (fields.has(name)) {
      throw malformed(`${shown} is given twice in ${what}`, [{ path: shown, message: 'is given twice' }]);
    }
    fields.set(name, cut === -1 ? '' : decode(pair.slice(cut + 1), `the field ${shown}`));
  }
  return fields;
}

/** A plus stands for a space. `replaceAll` makes a text of millions of parts of millions of them. */
function withSpaces(text: string): string {
  if (!text.includes('+')) return text;
  const bytes = Buffer.from(text);
  for (let at = bytes.indexOf('+'); at !== -1 && at < bytes.length; at += 1) if (bytes[at] === 43) bytes[at] = 32;
  return bytes.toString();
}

function decode(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed(`${what} is not valid percent-encoding of UTF-8`);
  }
}

/** Turns the fields of a form into what the schema takes. A text that does not fit stays, for the schema to refuse. */
export type FormReader = (fields: Map<string, string>) => Record<string, unknown>;

/** Makes the reader of a body's schema: forms carry texts only, while some fields are flags or numbers. */
function formReader(schema: z.ZodType): FormReader {
  const shape: Readonly<Record<string, unknown>> = schema instanceof z.ZodObject ? schema.shape : {};
  const conversions = new Map<string, (text: string) => unknown>();
  for (const [name, field] of Object.entries(shape)) {
    const inner = unwrap(field);
    if (inner instanceof z.ZodBoolean) conversions.set(name, toFlag);
    if (inner instanceof z.ZodNumber) conversions.set(name, toWholeNumber);
  }
  return (fields) => {
    const values: Record<string, unknown> = {};
    for (const [name, text] of fields) {
      const value = conversions.get(name)?.(text) ?? text;
      // A plain assignment of `__proto__` would vanish instead of being refused as an unknown field.
      if (name === '__proto__') Object.defineProperty(values, name, { value, enumerable: true });
      else values[name] = value;
    }
    return values;
  };
}

function unwrap(field: unknown): unknown {
  return field instanceof z.ZodOptional || field instanceof z.ZodNullable ? unwrap(field.unwrap()) : field;
}

function toFlag(text: string): boolean | undefined {
  if (text === 'true') return true;
  return text === 'false' ? false : undefined;
}

function toWholeNumber(text: string): number | undefined {
  return /^-?[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}
