import { z } from 'zod';
import { complain } from '../issue.ts';
import { exampleTimestamp, parseTimestamp, TimestampError, timestampPattern } from './timestamp.ts';

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
