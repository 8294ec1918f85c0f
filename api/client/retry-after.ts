/**
 * Reads a Retry-After header, in either of its forms (RFC 9110, 10.2.3).
 *
 * @param now the current time, in milliseconds since 1970
 * @returns milliseconds to wait, or undefined if there is no valid header
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000;
  // Only an HTTP-date ends in GMT; Date.parse alone would also read "-5" as a year.
  if (!text.endsWith('GMT')) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
