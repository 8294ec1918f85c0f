/** The schemas of fields that hold times. They stand apart from the readers, which Terraform's provider uses without zod. */

import { maxDurationSeconds } from '@rolecall/api';
import { z } from 'zod';
import { complain } from '../issue.ts';
import { DurationError, durationPattern, parseDuration } from './duration.ts';
import { exampleTimestamp, parseTimestamp, TimestampError, timestampPattern } from './timestamp.ts';

/** The schema of a field that holds a duration; its output is seconds. */
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
      // Those of texts and those of numbers; each holds only for its own.
      minLength: 1,
      maxLength: 60,
      pattern: durationPattern.source,
      minimum: 1,
      maximum: maxDurationSeconds,
      examples: ['8h', '7d', 3600],
    });
}

/** The schema of a field that holds a point in time; its output is normalised. */
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
    .meta({ description, maxLength: 40, pattern: timestampPattern.source, examples: [exampleTimestamp] });
}
