import { isUtf8 } from 'node:buffer';
import { formMediaType, jsonMediaType, type Route } from '@rolecall/api';
import { malformed, Refusal } from '../refusal.ts';
import { type BodyType, readContentType } from './content-type.ts';
import { formReader, parseForm } from './form-body.ts';
import { parseJsonBody } from './json-body.ts';

export interface RawBody {
  contentType: string | undefined;
  contentEncoding: string | undefined;
  bytes: Buffer | undefined;
  /** Whether there is a body that is not read at all, as with GET. */
  unread: boolean;
}

/** Reads the body of one operation into what its schema takes; undefined where it takes none. */
export type BodyReader = (body: RawBody) => unknown;

const both = [formMediaType, jsonMediaType] as const;

export function bodyReader({ body }: Route): BodyReader {
  if (body === undefined) return refuseBody;
  const accepted: readonly BodyType[] = body.encoding === 'form' ? both : [jsonMediaType];
  const readForm = formReader(body.schema);
  return (raw) => {
    // No body at all has no fields: the schema says which are missing.
    if (raw.bytes === undefined || raw.bytes.length === 0) return {};
    const type = readContentType(raw.contentType, accepted);
    const text = decodeBody(raw, raw.bytes);
    return type === formMediaType ? readForm(parseForm(text, 'the body')) : parseJsonBody(text);
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
