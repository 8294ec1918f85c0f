import { z } from 'zod';

/** The fields that several resources share, each with the bounds that the service holds it to and an example. */

/** Identifiers are opaque; the service makes them of these characters only (specification, Resources). */
export const shortId = (example: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, dashes or underscores')
    .meta({
      examples: [example],
    });

export const uuid = (example: string) =>
  z
    .string()
    .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 'must be a UUID')
    .meta({ examples: [example] });

/** At most 18 digits, so that it always fits a database's signed 64-bit integer. */
export const numericId = (example: string) =>
  z
    .string()
    .regex(/^[1-9][0-9]{0,17}$/, 'must be a whole number of at most 18 digits')
    .meta({ examples: [example] });

/**
 * A single line of text. JSON Schema counts characters as code points while JavaScript counts UTF-16 units, so the
 * length is checked by hand: the two would disagree about an emoji.
 *
 * @param max characters, counted as code points
 */
export const line = (max: number, example: string) =>
  z
    .string()
    .regex(/^[^\u0000-\u001f\u007f]+$/, 'must be one line of text, not empty and without control characters')
    .refine(isWellFormed, 'must be valid Unicode: it has half of a surrogate pair')
    .refine((text) => codePoints(text, max), `must have at most ${max} characters`)
    .meta({ minLength: 1, maxLength: max, examples: [example] });

/**
 * A name as it may be given: a line with something to see in it. Answers may have others, which another service, or this
 * one before, has taken.
 */
export const named = (field: z.ZodString) =>
  field.regex(/\S/, 'must not be only blanks').meta({ ...field.meta(), id: undefined });

/** Text of any number of lines. NUL is refused because PostgreSQL cannot store it. */
export const text = (min: number, max: number, example: string) =>
  z
    .string()
    .regex(/^[^\u0000]*$/, 'must not contain the NUL character')
    .refine(isWellFormed, 'must be valid Unicode: it has half of a surrogate pair')
    .refine((value) => value.length >= min, 'must not be empty')
    .refine((value) => codePoints(value, max), `must have at most ${max} characters`)
    .meta({ minLength: min, maxLength: max, examples: [example] });

/** The rule that HTML gives for `<input type=email>`, with RFC 5321's limit of 254 characters. */
export const email = z
  .string()
  .regex(
    /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/,
    'must be an e-mail address such as ada@example.com',
  )
  .max(254, 'must have at most 254 characters')
  .meta({ examples: ['ada@example.com'] });

/** ISO 8601 in UTC with milliseconds and a trailing Z (specification, Conventions). */
export const timestamp = (example = '2026-11-02T08:30:00.000Z') =>
  z
    .string()
    .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/, 'must be a timestamp')
    .meta({ format: 'date-time', examples: [example] });

export const emptyObject = z.object({});

export const count = z.object({
  count: z
    .int()
    .min(0)
    .meta({ description: 'how many were deleted', examples: [2] }),
});

/** An identifier in a form, where the empty string stands for null. */
export const nullableId = (example: string) =>
  z
    .union([shortId(example), z.literal(''), z.null()])
    .transform((value) => (value === '' ? null : value))
    .optional();

/** Takes a schema of a request's path or query that has no fields. */
export const nothing = z.strictObject({});

function isWellFormed(value: string): boolean {
  return value.isWellFormed();
}

function codePoints(value: string, max: number): boolean {
  return value.length <= max || Array.from(value).length <= max;
}
