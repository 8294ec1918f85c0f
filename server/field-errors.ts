import type { FieldError } from '@rolecall/api';
import leven from 'leven';
import { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** No answer grows with the number of mistakes beyond this. */
const mostErrors = 100;

/**
 * Describes what is wrong with each field, and the remedy where it is known. Never repeats a value, which may be a password.
 *
 * @param error of a parse with `reportInput`
 * @param schema what was expected, from which the name of a mistaken field is guessed
 */
export function fieldErrors(error: z.ZodError, schema: z.ZodType): FieldError[] {
  const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const errors = new Map<string, FieldError>();
  for (const fieldError of error.issues.flatMap((issue) => toErrors(issue, fields))) {
    // One error a field: of several rules the later ones are the finer ones.
    errors.set(fieldError.path, fieldError);
  }
  return [...errors.values()].slice(0, mostErrors);
}

function toErrors(issue: Issue, fields: readonly string[]): FieldError[] {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, mostErrors)
      .map((key) => ({ path: key.slice(0, 100), message: unknownField(key, fields) }));
  }
  return [{ path, message: describeIssue(issue) }];
}

function unknownField(key: string, fields: readonly string[]): string {
  const meant = nearestName(key, fields);
  if (meant !== undefined) return `is not known; did you mean ${meant}?`;
  return `is not known${fields.length === 0 ? '' : `; known are ${fields.join(', ')}`}`;
}

const names: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

/** Tells the fault of a value, as a clause after the name of its field. */
export function describeIssue(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return `must be ${names[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      if (issue.input === undefined) return 'is required';
      return `must be ${issue.values.map((value) => (value === '' ? 'empty' : String(value))).join(', ')}`;
    case 'invalid_union':
      // All branches of a union are forms of one value: the one that came nearest says what is wrong.
      return describeUnion(issue.errors);
    default:
      return issue.message;
  }
}

function describeUnion(branches: readonly (readonly Issue[])[]): string {
  const issues = branches.flat();
  const better = issues.find((issue) => issue.code !== 'invalid_type' && issue.code !== 'invalid_value') ?? issues[0];
  return better === undefined ? 'is invalid' : describeIssue(better);
}

/**
 * The known name that a mistaken one was most likely meant to be.
 *
 * @returns undefined where none is near: a third of the letters may be wrong
 */
function nearestName(mistaken: string, names: readonly string[]): string | undefined {
  // The distance takes time by the product of the lengths; no field has a name this long.
  if (mistaken.length > 64) return undefined;
  const ranked = names
    .map((name) => ({ name, distance: leven(mistaken.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(1, Math.ceil(best.name.length / 3)) ? best.name : undefined;
}
