import { type FieldError, type ProblemCode, problems } from '@rolecall/api';

/** Ends a request with a problem of the registry. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly code: ProblemCode;
  readonly errors: FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  /** @param detail what happened, for a person; `errors` name the fields at fault */
  constructor(
    code: ProblemCode,
    detail: string,
    more: { errors?: FieldError[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(detail, { cause: more.cause });
    this.code = code;
    this.errors = more.errors;
    this.headers = more.headers ?? {};
  }

  get status(): number {
    return problems[this.code].status;
  }
}

/** The messages of an error and of its causes, for a log line without a stack. */
export function messagesOf(error: unknown): string {
  const messages: string[] = [];
  for (let cause = error; cause instanceof Error && messages.length < 5; cause = cause.cause) {
    messages.push(cause.message.slice(0, 300));
  }
  return messages.join(': ');
}

/** There is no such resource. @param kind as in "person" */
export function notFound(kind: string, id: string): Refusal {
  return new Refusal('not_found', `there is no ${kind} ${id}`);
}

/** A field of the body is well formed, but invalid. */
export function invalidFields(errors: FieldError[]): Refusal {
  return new Refusal('invalid_fields', describe(errors), { errors });
}

/** A parameter of the path or the query string is malformed. */
export function malformedParameters(errors: FieldError[]): Refusal {
  return new Refusal('malformed_parameter', describe(errors), { errors });
}

/** The request, or its body, cannot be read. */
export function malformed(detail: string, errors?: FieldError[]): Refusal {
  return new Refusal('malformed_request', detail, errors === undefined ? {} : { errors });
}

function describe(errors: FieldError[]): string {
  return errors.map(({ path, message }) => `${path === '' ? 'the body' : path} ${message}`).join('; ');
}
