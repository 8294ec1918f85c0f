/** Checks an answer against its schema, list by list. */

import { z } from 'zod';

/** Entries of a list that are checked at once. */
const atOnce = 1_000;

/**
 * The same as `safeParse`, but it stops soon after the first mistake. A schema library reports each entry of a list that is wrong: a list of
 * millions, from an address that is no workspace service, would take gigabytes for the mistakes alone.
 */
export function checkAnswer(schema: z.ZodType, value: unknown): z.ZodSafeParseResult<unknown> {
  if (schema instanceof z.ZodArray && Array.isArray(value)) return checkList(schema, value);
  if (!(schema instanceof z.ZodObject) || !isRecord(value)) return schema.safeParse(value);
  const lists: Record<string, unknown> = {};
  const rest: Record<string, unknown> = { ...value };
  const fields: Readonly<Record<string, unknown>> = schema.shape;
  for (const [name, field] of Object.entries(fields)) {
    const list = Object.hasOwn(value, name) ? value[name] : undefined;
    const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
    if (!(inner instanceof z.ZodArray) || !Array.isArray(list) || list.length <= atOnce) continue;
    const checked = checkList(inner, list, [name]);
    if (!checked.success) return checked;
    lists[name] = checked.data;
    rest[name] = [];
  }
  const checked = schema.safeParse(rest);
  return checked.success ? { ...checked, data: { ...checked.data, ...lists } } : checked;
}

function checkList(
  schema: z.ZodArray,
  list: readonly unknown[],
  path: readonly PropertyKey[] = [],
): z.ZodSafeParseResult<unknown> {
  const data: unknown[] = [];
  for (let from = 0; from < list.length; from += atOnce) {
    const checked = schema.safeParse(list.slice(from, from + atOnce));
    if (!checked.success)
      return { success: false, error: new z.ZodError(checked.error.issues.map(located(path, from))) };
    data.push(...checked.data);
  }
  return { success: true, data };
}

/** An issue of a part of a list, as one of the whole. */
const located =
  (path: readonly PropertyKey[], from: number) =>
  (issue: z.core.$ZodIssue): z.core.$ZodIssue => {
    const [index, ...rest] = issue.path;
    return { ...issue, path: [...path, ...(typeof index === 'number' ? [index + from] : []), ...rest] };
  };

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
