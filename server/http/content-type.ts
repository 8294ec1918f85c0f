import type { formMediaType, jsonMediaType } from '@rolecall/api';
import { Refusal } from '../refusal.ts';

export type BodyType = typeof formMediaType | typeof jsonMediaType;

/**
 * What a body claims to be.
 *
 * @param header Content-Type
 * @param accepted the types that the operation takes
 * @throws Refusal unsupported_media_type
 */
export function readContentType(header: string | undefined, accepted: readonly BodyType[]): BodyType {
  if (header === undefined || header.trim() === '') throw unsupported('the body has no Content-Type', accepted);
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim());
  const known = accepted.find((one) => one === type.toLowerCase());
  if (known === undefined) throw unsupported(`the operation does not take ${type.slice(0, 100)}`, accepted);
  for (const parameter of parameters) {
    const charset = /^charset=(.*)$/i.exec(parameter)?.[1];
    if (charset !== undefined && !/^"?utf-?8"?$/i.test(charset)) {
      throw unsupported(`the character set ${charset.slice(0, 100)} is not UTF-8`, accepted);
    }
  }
  return known;
}

function unsupported(detail: string, accepted: readonly BodyType[]): Refusal {
  return new Refusal('unsupported_media_type', `${detail}: send ${accepted.join(' or ')} in UTF-8`);
}
