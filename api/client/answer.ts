import { jsonMediaType } from '../media-types.ts';
import type { Route } from '../route.ts';
import {
  type CallContext,
  ProblemError,
  type ReceivedProblem,
  type UnexpectedAnswer,
  UnexpectedAnswerError,
} from './errors.ts';
import type { Settings } from './options.ts';
import { readProblem } from './problem.ts';
import { redirectError } from './redirect.ts';
import { parseRetryAfter } from './retry-after.ts';
import { safeText } from './safe-text.ts';
import type { Exchanged } from './transport.ts';

type Answered = Extract<Exchanged, { ok: true }>;

const excerptLength = 160;

/**
 * Reads an answer and checks it against the operation's schema. Fields that the schema does not know are left out, so
 * that a newer service can add some.
 *
 * @returns the answer of a success
 * @throws ProblemError, RedirectError or UnexpectedAnswerError
 */
export function readAnswer(context: CallContext, route: Route, answered: Answered, settings: Settings): unknown {
  const { status, headers } = answered;
  const retryAfterMs = parseRetryAfter(headers['retry-after'], Date.now());
  const contentType = safeText(headers['content-type'] ?? '', 100, settings.secrets);
  const answer: UnexpectedAnswer = { status, contentType, retryAfterMs };
  if (status >= 300 && status < 400) throw redirectError(context, answer, headers.location, settings);
  const json = parseJson(answered);
  if (status < 200 || status >= 300) {
    const problem = json.ok ? readProblem(status, json.value, settings.secrets) : undefined;
    if (problem !== undefined) throw new ProblemError(context, problem, retryAfterMs, remedyOf(route, problem));
    throw new UnexpectedAnswerError(context, `${hint(status)}.${excerpt(answered, settings)}`, answer);
  }
  if (!json.ok) throw new UnexpectedAnswerError(context, `${json.why}.${excerpt(answered, settings)}`, answer);
  const checked = route.answer.safeParse(json.value);
  if (checked.success) return checked.data;
  throw new UnexpectedAnswerError(context, describeIssues(checked.error.issues), answer);
}

/** A path without an identifier is there in every service: where it is not, the URL is another one. */
function remedyOf({ path }: Route, { code }: ReceivedProblem): string | undefined {
  if (code !== 'not_found' || path.includes(':')) return undefined;
  return 'Check the path of the URL: it is what stands before /api/v2, mostly nothing.';
}

type Json = { ok: true; value: unknown } | { ok: false; why: string };

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson({ headers, body }: Answered): Json {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    return { ok: false, why: 'the body is compressed, which was not asked for; check the proxy before the service' };
  }
  if (!isJson(headers['content-type'])) {
    return { ok: false, why: 'the body is not JSON; check that the URL is the workspace service itself' };
  }
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    return { ok: false, why: 'the body is not UTF-8; check the proxy before the service' };
  }
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch {
    // The parser's own message quotes the text, which may hold a password.
    const cut = body.length === 0 ? 'empty' : `no complete JSON (${body.length} bytes)`;
    return { ok: false, why: `the body is ${cut}; check the proxy before the service and try again` };
  }
}

function isJson(contentType: string | undefined): boolean {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type === jsonMediaType || type.endsWith('+json');
}

/** JSON is not quoted: it may be a data source with its password. A page is, since its words say who answered. */
function excerpt({ headers, body }: Answered, { secrets }: Settings): string {
  if (isJson(headers['content-type']) || headers['content-encoding'] !== undefined) return '';
  const text = safeText(body.toString('utf8', 0, 65_536), excerptLength, secrets);
  return text === '' ? '' : ` It says: ${text}`;
}

function hint(status: number): string {
  if (status === 401 || status === 403 || status === 407) {
    return 'it is not the service that refuses; what stands before it wants credentials of its own';
  }
  if (status >= 502 && status <= 504) return 'a proxy before the service cannot reach it; try again later';
  return 'it is not a problem of the workspace service; check that the URL names one';
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function describeIssues(issues: readonly Issue[]): string {
  const [first] = issues;
  if (first === undefined) return 'it does not have the shape of this operation';
  const field = first.path.reduce<string>(
    (text, part) => text + (typeof part === 'number' ? `[${part}]` : `${text === '' ? '' : '.'}${String(part)}`),
    '',
  );
  const more = issues.length === 1 ? '' : ` (and ${issues.length - 1} more)`;
  const name = field === '' ? 'the whole of it' : `the field ${field}`;
  return `${name} is off: ${first.message}${more}. Check that the URL names a workspace service of a version that this one knows`;
}
