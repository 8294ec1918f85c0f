import { jsonMediaType, vendorMediaType } from '@rolecall/api';

/** What the service can answer in. */
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

/** How much a type is liked, by the most specific range that covers it; 0 where none does. */
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
