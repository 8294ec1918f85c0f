import { DurationError, parseDuration, parseTimestamp, TimestampError } from '@rolecall/crds';
import { CliError } from '../../errors.ts';

/**
 * The moment of a report.
 *
 * @param text as `--at` gives it; undefined: now
 * @throws CliError that says how times are written
 */
export function momentOf(text: string | undefined): Date {
  if (text === undefined) return new Date();
  try {
    return new Date(parseTimestamp(text));
  } catch (error) {
    if (!(error instanceof TimestampError)) throw error;
    throw new CliError('ERR_AT', `--at ${error.message}: write it as in --at 2026-12-01T09:00:00Z`);
  }
}

/**
 * How long a window is, in milliseconds.
 *
 * @throws CliError that says how durations are written
 */
export function windowOf(text: string): number {
  try {
    return parseDuration(text) * 1000;
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw new CliError('ERR_WITHIN', `--within ${error.message}: write it as in --within 7d`);
  }
}
