import type { z } from 'zod';
import type { ProblemCode } from './load/problem-codes.ts';
import type { Path } from './path.ts';

/** One thing that is wrong with one document, before anybody knows in which file it stands. */
export interface Issue {
  readonly severity: 'error' | 'warning';
  readonly code: ProblemCode;
  readonly path: Path;
  /** Whether the position is that of the value, or of its key: an unknown field is wrong by its name. */
  readonly at: 'key' | 'value';
  /** What is wrong, as the rest of a sentence that begins with the path: "must be text, but is the number 7". */
  readonly message: string;
  /** What to do about it, as a sentence. */
  readonly remedy: string;
  /** Where what is wrong was probably meant to stand: that it is missing there is the same slip. */
  readonly meant?: readonly Path[];
}

interface Complaint {
  readonly code?: ProblemCode;
  readonly message: string;
  readonly remedy: string;
  readonly path?: Path;
}

/** What a check hands to zod: the code and the remedy travel in `params`, where `toIssue` finds them again. */
export function complain(payload: { value: unknown; issues: z.core.$ZodRawIssue[] }, complaint: Complaint): void {
  const { code = 'field_value', message, remedy, path = [] } = complaint;
  payload.issues.push({
    code: 'custom',
    input: payload.value,
    message,
    path: [...path],
    params: { code, remedy },
    // Lets the checks after this one run, so that all problems are reported, not the first.
    continue: true,
  });
}
