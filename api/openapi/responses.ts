import { problemMediaType } from '../media-types.ts';
import { problemBody } from '../problem.ts';
import { type ProblemCode, problems } from '../problems.ts';
import type { Link } from './links.ts';
import type { JsonSchema } from './schema.ts';
import { reference } from './schema.ts';

export interface Response {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  /** Absent if the answer has no body. */
  content?: Record<string, MediaType>;
  /** To operations that take what this answer has. */
  links?: Record<string, Link>;
}

export interface MediaType {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, { summary: string; value: unknown }>;
}

const headersByStatus: Readonly<Record<number, Response['headers']>> = {
  405: {
    Allow: { description: 'the methods that the path supports', schema: { type: 'string', examples: ['GET, POST'] } },
  },
  429: { 'Retry-After': retryAfter() },
  503: { 'Retry-After': retryAfter() },
};

/**
 * The problems of an operation, one response per status.
 *
 * @param challenge the value of WWW-Authenticate in a 401
 * @param isForBrowsers whether a page of another site leads here: then they are answered as plain text
 * @param responses collects each combination of problems once, by the name that references use
 */
export function problemResponses(
  codes: readonly ProblemCode[],
  { challenge, isForBrowsers }: { challenge: string; isForBrowsers: boolean },
  responses: Record<string, Response>,
): Record<string, { $ref: string }> {
  const byStatus = Map.groupBy(codes, (code) => problems[code].status);
  const entries = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    entries.map(([status, codes]) => {
      const name = `${codes.join('.')}${isForBrowsers ? '.text' : ''}`;
      responses[name] ??= problemResponse(status, codes, challenge);
      if (isForBrowsers) Object.assign(responses[name].content ?? {}, { 'text/plain': { schema: { type: 'string' } } });
      return [String(status), { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function problemResponse(status: number, codes: readonly ProblemCode[], challenge: string): Response {
  const headers = status === 401 ? authenticate(challenge) : headersByStatus[status];
  return {
    description: codes.map((code) => `${problems[code].title} (\`${code}\`). ${problems[code].remedy}`).join('\n\n'),
    ...(headers === undefined ? {} : { headers }),
    content: {
      [problemMediaType]: {
        schema: reference('Problem'),
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: problems[code].title, value: exampleProblem(code) }]),
        ),
      },
    },
  };
}

function authenticate(challenge: string): Response['headers'] {
  const [scheme = ''] = challenge.split(' ');
  return {
    'WWW-Authenticate': {
      description: `asks for ${scheme === 'Basic' ? 'HTTP Basic authentication' : 'a session'}`,
      schema: { type: 'string', pattern: `^${scheme} `, examples: [challenge] },
    },
  };
}

function exampleProblem(code: ProblemCode) {
  const errors = code === 'invalid_fields' ? { errors: [{ path: 'name', message: 'must not be empty' }] } : {};
  return problemBody(code, problems[code].meaning, { ...errors, requestId: 'req-1f' });
}

function retryAfter() {
  return { description: 'seconds to wait', schema: { type: 'integer', minimum: 0, examples: [1] } };
}
