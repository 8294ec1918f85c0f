import { parseDuration, parseTimestamp } from '@rolecall/crds';
import { optionValue } from '../../options/option-value.ts';

/**
 * The moment of a report.
 *
 * @param text as `--at` gives it; undefined: now
 * @throws CliError that says how times are written
 */
export function momentOf(text: string | undefined): Date {
  if (text === undefined) return new Date();
  return new Date(optionValue('--at', text, parseTimestamp, 'write it as in --at 2026-12-01T09:00:00Z'));
}

/**
 * How long a window is, in milliseconds.
 *
 * @throws CliError that says how durations are written
 */
export function windowOf(text: string): number {
  return optionValue('--within', text, parseDuration, 'write it as in --within 7d') * 1000;
}
