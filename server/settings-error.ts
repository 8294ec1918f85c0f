import type { z } from 'zod';
import { describeIssue } from './field-errors.ts';

/** A mistake in a settings file, with its place, as in `['rules', 0, 'claims']`. */
export interface SettingsProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export class SettingsError extends Error {
  override name = 'SettingsError';
  readonly problems: readonly SettingsProblem[];
  constructor(problems: readonly SettingsProblem[]) {
    super(problems.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
    this.problems = problems;
  }
}

/** Checks the content of a settings file, parsed. @throws SettingsError */
export function parseSettings<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw new SettingsError(parsed.error.issues.flatMap(problemsOf));
}

function problemsOf(issue: z.core.$ZodIssue): SettingsProblem[] {
  const path = issue.path.filter((part) => typeof part !== 'symbol');
  if (issue.code !== 'unrecognized_keys') return [{ path, message: describeIssue(issue) }];
  return issue.keys.map((key) => ({ path: [...path, key], message: 'is not known' }));
}
