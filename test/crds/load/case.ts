import type { Problem, ProblemCode } from '@rolecall/crds';
import type { Files } from './support.ts';

/** One input, and all the problems that it must give, in order. */
export interface Case {
  readonly promise: string;
  /** The text of `a.yaml`, or several files. */
  readonly input: string | Files;
  readonly problems: readonly Expected[];
}

export interface Expected {
  readonly code: ProblemCode;
  readonly severity?: Problem['severity'];
  readonly file?: string;
  /** Line and column, as in `5:3`. */
  readonly at: string;
  readonly path?: string;
  readonly message?: RegExp;
  readonly remedy: RegExp;
}
