/** A time without seconds and milliseconds that are zero; what is no time stays as it is. */
export function shortTime(time: string): string {
  return time.replace(/(:00)?\.000Z$/, 'Z').replace(/\.\d{3}Z$/, 'Z');
}
