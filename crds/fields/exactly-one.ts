import type { z } from 'zod';
import { complain } from '../issue.ts';

/** The metadata of a schema that requires exactly one of some fields; JSON Schema and CRDs are generated from it. */
export const exactlyOneKey = 'x-rolecall-exactly-one';

/**
 * Requires exactly one of `fields` in a mapping.
 *
 * @param example what the remedy proposes if none is given
 * @returns the schema with the rule; give it its description afterwards
 */
export function exactlyOne<S extends z.ZodObject>(
  schema: S,
  fields: readonly (string & keyof z.output<S>)[],
  example: string,
): S {
  return crossCheck(schema, (payload) => {
    const given = fields.filter((field) => Object.hasOwn(payload.value, field));
    if (given.length === 1) return;
    complain(payload, {
      code: 'fields_exclusive',
      message:
        given.length === 0
          ? `needs ${alternatives(fields, 'or')}`
          : `has ${alternatives(given, 'and')}, but may have only one of them`,
      remedy: given.length === 0 ? `Add one of them, for example ${example}.` : 'Keep one of them and remove the rest.',
    });
  }).meta({ [exactlyOneKey]: fields });
}

/** Adds a check that runs even if fields of the mapping are invalid, so it must expect malformed values. */
export function crossCheck<S extends z.ZodObject>(
  schema: S,
  check: (payload: { value: Record<string, unknown>; issues: z.core.$ZodRawIssue[] }) => void,
): S {
  return schema.superRefine(
    (value, context) => {
      check({ value, issues: context.issues });
    },
    { when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value) },
  );
}

/** `a, b or c`. */
export function alternatives(names: readonly string[], word: 'or' | 'and'): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1) ?? ''}`;
}
