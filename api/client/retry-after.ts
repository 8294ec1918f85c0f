/**
 * Reads a Retry-After header, in either of its forms (RFC 9110, 10.2.3).
 *
 * @param now milliseconds since 1970, which a date counts from
 * @returns milliseconds to wait, or undefined when there is no header or it says nothing
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000;
  // Only an HTTP-date ends in GMT; Date.parse alone would also take "-5" for a year.
  if (!text.endsWith('GMT')) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
