import type { FieldError } from '../problem.ts';
import { type ProblemCode, problems } from '../problems.ts';
import { type CallContext, CallError, UnexpectedAnswerError } from './errors.ts';

/** The category of a refusal, for callers that do not know every code of the registry. */
export type ProblemKind =
  | 'invalid'
  | 'unauthenticated'
  | 'scope'
  | 'not-found'
  | 'conflict'
  | 'rate-limited'
  | 'unavailable'
  | 'not-implemented'
  | 'internal'
  | 'other';

/** The body of the service's error, made safe to show. */
export interface ReceivedProblem {
  readonly status: number;
  /** A code of this registry, or of a newer service's. */
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly errors: readonly FieldError[];
  readonly requestId: string | undefined;
}

/** The service refused the call with one of its problems (docs/errors.md). */
export class ProblemError extends CallError {
  override name = 'ProblemError';
  override readonly code = 'ERR_ROLECALL_PROBLEM';
  readonly kind: ProblemKind;
  readonly status: number;
  /** The problem's code, such as `username_taken`. */
  readonly problem: string;
  readonly detail: string;
  /** The invalid fields, as the service names them. */
  readonly errors: readonly FieldError[];
  /** Finds the request in the service's log. */
  readonly requestId: string | undefined;

  /** @param remedy replaces the registry's */
  constructor(context: CallContext, received: ReceivedProblem, retryAfterMs?: number, remedy?: string) {
    super(context, describe(received, retryAfterMs, remedy), { outcome: 'refused', retryAfterMs });
    this.kind = kindOf(received.status);
    this.status = received.status;
    this.problem = received.code;
    this.detail = received.detail;
    this.errors = received.errors;
    this.requestId = received.requestId;
  }
}

function describe(
  { status, code, title, detail, errors, requestId }: ReceivedProblem,
  retryAfterMs: number | undefined,
  remedy: string | undefined = isKnown(code) ? problems[code].remedy : undefined,
): string {
  const sentences = [`was refused with ${status} ${code}: ${detail === '' ? title : detail}`];
  if (errors.length > 0) sentences.push(errors.map(({ path, message }) => `${path}: ${message}`).join('; '));
  if (remedy !== undefined) sentences.push(remedy.replace(/\.$/, ''));
  if (retryAfterMs !== undefined) sentences.push(`The service asks you to wait ${Math.ceil(retryAfterMs / 1000)} s`);
  if (requestId !== undefined) sentences.push(`Request id: ${requestId}`);
  return sentences.map((sentence) => sentence.replace(/\.$/, '')).join('. ');
}

function isKnown(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code);
}

const kinds: Readonly<Record<number, ProblemKind>> = {
  400: 'invalid',
  401: 'unauthenticated',
  403: 'scope',
  404: 'not-found',
  409: 'conflict',
  413: 'invalid',
  414: 'invalid',
  415: 'invalid',
  422: 'invalid',
  429: 'rate-limited',
  500: 'internal',
  501: 'not-implemented',
  503: 'unavailable',
};

function kindOf(status: number): ProblemKind {
  return kinds[status] ?? 'other';
}

/** True if the service does not know a call, or does not allow it to this key: do without it. */
export function isNotOffered(error: unknown): boolean {
  return (
    (error instanceof ProblemError || error instanceof UnexpectedAnswerError) && [403, 404, 405].includes(error.status)
  );
}
