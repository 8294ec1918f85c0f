import type { z } from 'zod';
import type { ProblemCode } from './load/problem-codes.ts';
import type { Path } from './path.ts';

/** Something wrong with a document, without its position in a file. */
export interface Issue {
  readonly severity: 'error' | 'warning';
  readonly code: ProblemCode;
  readonly path: Path;
  /** Target of the mark, the value or its key: an unknown field is wrong because of its key. */
  readonly at: 'key' | 'value';
  /** Fault; completes a sentence that begins with the path: "must be text, but is the number 7". */
  readonly message: string;
  /** Remedy, as a sentence. */
  readonly remedy: string;
  /** Paths at which the value was probably meant to be. It is missing there for the same reason. */
  readonly meant?: readonly Path[];
}

interface Complaint {
  readonly code?: ProblemCode;
  readonly message: string;
  readonly remedy: string;
  readonly path?: Path;
}

/** An issue for zod: the code and the remedy travel in `params`, where `toIssue` finds them. */
export function complain(payload: { value: unknown; issues: z.core.$ZodRawIssue[] }, complaint: Complaint): void {
  const { code = 'field_value', message, remedy, path = [] } = complaint;
  payload.issues.push({
    code: 'custom',
    input: payload.value,
    message,
    path: [...path],
    params: { code, remedy },
    // Lets later checks run, so that all problems are reported.
    continue: true,
  });
}
