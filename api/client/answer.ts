import { z } from 'zod';
import { jsonMediaType } from '../media-types.ts';
import type { Operation } from '../route.ts';
import { checkAnswer } from './check-answer.ts';
import { type CallContext, RedirectError, type UnexpectedAnswer, UnexpectedAnswerError } from './errors.ts';
import type { Settings } from './options.ts';
import { ProblemError, type ReceivedProblem } from './problem-error.ts';
import { parseRetryAfter } from './retry-after.ts';
import { safeText } from './safe-text.ts';
import type { Exchanged } from './transport.ts';

type Answered = Extract<Exchanged, { ok: true }>;

const excerptLength = 160;

/**
 * Reads an answer and checks it against the operation's schema. It drops unknown fields, so that a newer service can add
 * some.
 *
 * @returns the answer, if the call succeeded
 * @throws ProblemError, RedirectError or UnexpectedAnswerError
 */
export function readAnswer(
  context: CallContext,
  operation: Operation,
  answered: Answered,
  settings: Settings,
): unknown {
  const { status, headers } = answered;
  const retryAfterMs = parseRetryAfter(headers['retry-after'], Date.now());
  const contentType = safeText(headers['content-type'] ?? '', 100, settings.secrets);
  const answer: UnexpectedAnswer = { status, contentType, retryAfterMs };
  if (status >= 300 && status < 400) throw redirectError(context, answer, headers.location, settings);
  const json = parseJson(answered);
  if (status < 200 || status >= 300) {
    const problem = json.ok ? readProblem(status, json.value, settings.secrets) : undefined;
    if (problem !== undefined) throw new ProblemError(context, problem, retryAfterMs, remedyOf(operation, problem));
    throw new UnexpectedAnswerError(context, `${hint(status)}.${excerpt(answered, settings)}`, answer);
  }
  if (!json.ok) throw new UnexpectedAnswerError(context, `${json.why}.${excerpt(answered, settings)}`, answer);
  const checked = checkAnswer(operation.answer, json.value);
  if (checked.success) return checked.data;
  throw new UnexpectedAnswerError(context, describeIssues(checked.error.issues), answer);
}

/** Every service has the paths without identifiers, so a 404 there means that the URL is wrong. */
function remedyOf({ path }: Operation, { code }: ReceivedProblem): string | undefined {
  if (code !== 'not_found' || path.includes(':')) return undefined;
  const prefix = path.split('/').slice(0, 3).join('/');
  return `Check the URL: the path before ${prefix} is usually empty.`;
}

type Json = { ok: true; value: unknown } | { ok: false; why: string };

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson({ headers, body }: Answered): Json {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    return {
      ok: false,
      why: 'the body is compressed although the client did not ask for it; check the proxy in front of the service',
    };
  }
  if (!isJson(headers['content-type'])) {
    return { ok: false, why: 'the body is not JSON; check that the URL is the workspace service itself' };
  }
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    return { ok: false, why: 'the body is not UTF-8; check the proxy in front of the service' };
  }
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch {
    // The parser's own message quotes the text, which may contain a password.
    const cut = body.length === 0 ? 'empty' : `no complete JSON (${body.length} bytes)`;
    return { ok: false, why: `the body is ${cut}; check the proxy in front of the service and try again` };
  }
}

function isJson(contentType: string | undefined): boolean {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type === jsonMediaType || type.endsWith('+json');
}

/** Quotes an HTML page, whose words say who answered, but never JSON, which may be a data source with its password. */
function excerpt({ headers, body }: Answered, { secrets }: Settings): string {
  if (isJson(headers['content-type']) || headers['content-encoding'] !== undefined) return '';
  const text = safeText(body.toString('utf8', 0, 65_536), excerptLength, secrets);
  return text === '' ? '' : ` It says: ${text}`;
}

function hint(status: number): string {
  if (status === 401 || status === 403 || status === 407) {
    return 'the refusal does not come from the service but from something in front of it that wants its own credentials';
  }
  if (status === 429) return 'something in front of the service lets no more requests through for now; try again later';
  if (status >= 502 && status <= 504) return 'a proxy in front of the service cannot reach it; try again later';
  return 'the answer is not an error of a workspace service; check the URL';
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function describeIssues(issues: readonly Issue[]): string {
  const [first] = issues;
  if (first === undefined) return 'the answer does not fit this operation';
  const field = first.path.reduce<string>(
    (text, part) => text + (typeof part === 'number' ? `[${part}]` : `${text === '' ? '' : '.'}${String(part)}`),
    '',
  );
  const more = issues.length === 1 ? '' : ` (and ${issues.length - 1} more)`;
  const name = field === '' ? 'the answer' : `the field ${field}`;
  return `${name} is wrong: ${first.message}${more}. Check that the URL is that of a workspace service, in a version that this client supports`;
}

/** Names the URL to use if the redirect keeps the operation's path; otherwise says that the URL is not the service's. */
function redirectError(
  context: CallContext,
  answer: UnexpectedAnswer,
  header: string | undefined,
  { base, secrets }: Settings,
): RedirectError {
  const target = header === undefined ? null : URL.parse(header, base.origin + context.path);
  if (target === null) {
    return new RedirectError(context, "a redirect without a URL; check the service's URL", answer, undefined);
  }
  // Without its query string, which contains tokens in a login redirect.
  const location = safeText(target.origin + target.pathname, 1000, secrets);
  const operation = context.path.slice(base.prefix.length);
  const what = location.endsWith(operation)
    ? `a redirect, which the client does not follow. Use ${location.slice(0, -operation.length)} as the service's URL`
    : `a redirect to ${location}. Either the URL is not the service's own, or a login page is in front of it`;
  return new RedirectError(context, what, answer, location);
}

/** Wider than the service's own schema, since a newer service may have codes that this registry lacks. */
const received = z.object({
  type: z.string().startsWith('urn:rolecall:problem:'),
  status: z.int(),
  code: z.string().regex(/^[a-z0-9_]{1,64}$/),
  title: z.string().default(''),
  detail: z.string().default(''),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).default([]),
  requestId: z.string().optional(),
});

/** The most invalid fields that a message lists; a form has far fewer. */
const maxErrors = 50;

/**
 * Reads the body of an error as a problem of the service.
 *
 * @returns undefined if it is not one. Then something in front of the service answered, so the call may have been done.
 */
function readProblem(status: number, body: unknown, secrets: readonly string[]): ReceivedProblem | undefined {
  const parsed = received.safeParse(body);
  if (!parsed.success || parsed.data.status !== status) return undefined;
  const { code, title, detail, errors, requestId } = parsed.data;
  return {
    status,
    code,
    title: safeText(title, 200, secrets),
    detail: safeText(detail, 1000, secrets),
    errors: errors.slice(0, maxErrors).map(({ path, message }) => ({
      path: safeText(path, 200, secrets),
      message: safeText(message, 500, secrets),
    })),
    requestId: requestId === undefined ? undefined : safeText(requestId, 100, secrets),
  };
}
