/** The schemas of time fields. The parsers are separate, since the Terraform provider uses them without zod. */

import { maxDurationSeconds } from '@rolecall/api';
import { z } from 'zod';
import { complain } from '../issue.ts';
import { DurationError, durationPattern, parseDuration } from './duration.ts';
import { exampleTimestamp, parseTimestamp, TimestampError, timestampPattern } from './timestamp.ts';

/** The schema of a duration; its output is seconds. */
export function duration(description: string) {
  return z
    .union([z.int(), z.string()], { error: 'must be a duration, such as 8h, or whole seconds' })
    .transform((value, context) => {
      try {
        return parseDuration(value);
      } catch (error) {
        if (!(error instanceof DurationError)) throw error;
        complain(context, { message: error.message, remedy: error.remedy });
        return z.NEVER;
      }
    })
    .meta({
      description,
      // Keywords for texts and for numbers; each applies only to its own type.
      minLength: 1,
      maxLength: 60,
      pattern: durationPattern.source,
      minimum: 1,
      maximum: maxDurationSeconds,
      examples: ['8h', '7d', 3600],
    });
}

/** The pattern with nothing finer than milliseconds, which the parser has a message for. */
const millisecondPattern = timestampPattern.source.replace(String.raw`\d{1,9}`, String.raw`\d{1,3}0{0,6}`);

/** The schema of a point in time; its output is normalized. */
export function timestamp(description: string) {
  return z
    .string()
    .transform((text, context) => {
      try {
        return parseTimestamp(text);
      } catch (error) {
        if (!(error instanceof TimestampError)) throw error;
        complain(context, { message: error.message, remedy: error.remedy });
        return z.NEVER;
      }
    })
    .meta({ description, maxLength: 40, pattern: millisecondPattern, examples: [exampleTimestamp] });
}
