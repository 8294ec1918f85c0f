import { z } from 'zod';
import { asciiEmail } from './ascii-domain.ts';
import {
  type Bounds,
  emailRules,
  givenRules,
  lineRules,
  longestEmail,
  type TextRule,
  textRules,
} from './text-rules.ts';

/** Fields that several resources share, each with its bounds and an example. */

/** Identifiers are opaque, but consist of these characters only (specification, Resources). */
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

/** 18 digits always fit a signed 64-bit integer of a database. */
export const numericId = (example: string) =>
  z
    .string()
    .regex(/^[1-9][0-9]{0,17}$/, 'must be a whole number of at most 18 digits')
    .meta({ examples: [example] });

/** One `check` with all rules: each call in a chain would build another schema, which slows down short commands. */
const ruled = (rules: readonly TextRule[], field = z.string()) =>
  field.check(
    ...rules.map(({ pattern, allows, message }) =>
      pattern === undefined ? z.refine<string>(allows, message) : z.regex(pattern, message),
    ),
  );

/**
 * A single line of text.
 *
 * @param max characters, counted as code points
 */
export const line = (max: number, example: string) =>
  ruled(lineRules(max)).meta({ minLength: 1, maxLength: max, examples: [example] });

/** A name in a request: a visible line that cannot be mistaken for another name. */
export const named = (field: z.ZodString) => ruled(givenRules, field).meta({ ...field.meta(), id: undefined });

/** Text of any number of lines. */
export const text = (bounds: Bounds, example: string) =>
  ruled(textRules(bounds)).meta({ minLength: bounds.min, maxLength: bounds.max, examples: [example] });

/** Of an internationalised domain it has the ASCII form, whatever was written. */
export const email = ruled(emailRules, z.string().overwrite(asciiEmail)).meta({
  maxLength: longestEmail,
  examples: ['ada@example.com'],
});

/** A whole number in a path or query string; 15 digits stay exact as a JavaScript number. */
export const wholeNumber = z
  .string()
  .regex(/^[0-9]{1,15}$/, 'must be a whole number')
  .transform(Number);

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

/** An identifier in a form, where the empty string means null. */
export const nullableId = (example: string) =>
  z
    .union([shortId(example), z.literal(''), z.null()])
    .transform((value) => (value === '' ? null : value))
    .optional();

/** Says in JSON Schema that a request has at most one of two fields; a check of the service's own names the field. */
export const notBoth = (field: string, other: string) => ({
  not: { properties: { [field]: {}, [other]: {} }, required: [field, other] },
});

/** The schema of a path or query without parameters. */
export const nothing = z.strictObject({});
