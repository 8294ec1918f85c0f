/** Points in time in definitions: RFC 3339 with optional seconds. */

export const timestampPattern =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/;

export const exampleTimestamp = '2026-12-01T09:00:00Z';

export class TimestampError extends Error {
  override name = 'TimestampError';
  readonly code = 'ERR_TIMESTAMP';
  /** Spelling to use instead. */
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

/**
 * Parses a point in time and writes it in UTC with milliseconds, as the service does.
 *
 * @param text such as `2026-12-01T10:00:00+01:00`
 * @returns such as `2026-12-01T09:00:00.000Z`
 * @throws TimestampError if it is malformed, has no zone, does not exist or is finer than milliseconds
 */
export function parseTimestamp(text: string): string {
  const match = timestampPattern.exec(text);
  if (match === null) throw malformed(text);
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '00', fraction = ''] = match;
  if (/[1-9]/.test(fraction.slice(3))) {
    throw new TimestampError('is finer than milliseconds', 'Write at most three digits after the seconds.');
  }
  // Date turns 31 February into March; comparing its result with the text finds that out.
  const written = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const calendar = new Date(`${written}Z`);
  if (Number.isNaN(calendar.getTime()) || !calendar.toISOString().startsWith(written)) {
    throw new TimestampError('does not exist', `Correct the day or the hour, as in ${exampleTimestamp}.`);
  }
  const zone = text.endsWith('Z') ? 'Z' : text.slice(-6);
  const time = new Date(`${written}.${fraction.slice(0, 3).padEnd(3, '0')}${zone}`).toISOString();
  if (time.length === 24 && !time.startsWith('0000')) return time;
  throw new TimestampError(
    'is before the year 1 or after the year 9999',
    `Correct the year, as in ${exampleTimestamp}.`,
  );
}

function malformed(text: string): TimestampError {
  const zoneless = timestampPattern.test(`${text.replace(' ', 'T')}Z`);
  const remedy = zoneless
    ? `Add Z for UTC or an offset, as in ${text.replace(' ', 'T')}Z.`
    : `Write it as in ${exampleTimestamp} or 2026-12-01T10:00:00+01:00.`;
  return new TimestampError(zoneless ? 'has no time zone' : 'is not an ISO 8601 time with a zone', remedy);
}

/** The CEL expression that reads such a field; CEL itself requires seconds. */
export function celTimestamp(field: string): string {
  const text = `self.${field}`;
  const withSeconds = `${text}.substring(0, 16) + ":00" + ${text}.substring(16)`;
  return `timestamp(${text}.matches("^.{16}(Z|[+-])") ? ${withSeconds} : ${text})`;
}
