import { problemMediaType } from '../media-types.ts';
import { problemBody } from '../problem.ts';
import { type ProblemCode, problems } from '../problems.ts';
import { problemsOf, type Route } from '../route.ts';
import type { JsonSchema } from './schema.ts';
import { reference } from './schema.ts';

export interface Response {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  /** Absent where the answer has no body. */
  content?: Record<string, MediaType>;
}

export interface MediaType {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, { summary: string; value: unknown }>;
}

const headersByStatus: Readonly<Record<number, Response['headers']>> = {
  401: {
    'WWW-Authenticate': {
      description: 'asks for HTTP Basic authentication',
      schema: { type: 'string', pattern: '^Basic ', examples: ['Basic realm="rolecall", charset="UTF-8"'] },
    },
  },
  405: {
    Allow: { description: 'the methods that the path takes', schema: { type: 'string', examples: ['GET, POST'] } },
  },
  429: { 'Retry-After': retryAfter() },
  503: { 'Retry-After': retryAfter() },
};

/**
 * The problems of an operation, one response a status.
 *
 * @param responses collects each combination of problems once, under the name that the references have
 */
export function problemResponses(route: Route, responses: Record<string, Response>): Record<string, { $ref: string }> {
  const byStatus = Map.groupBy(problemsOf(route), (code) => problems[code].status);
  const entries = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    entries.map(([status, codes]) => {
      const name = codes.join('.');
      responses[name] ??= problemResponse(status, codes);
      return [String(status), { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function problemResponse(status: number, codes: readonly ProblemCode[]): Response {
  const headers = headersByStatus[status];
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

function exampleProblem(code: ProblemCode) {
  const errors = code === 'invalid_fields' ? { errors: [{ path: 'name', message: 'must not be empty' }] } : {};
  return problemBody(code, problems[code].meaning, { ...errors, requestId: 'req-1f' });
}

function retryAfter() {
  return { description: 'seconds to wait', schema: { type: 'integer', minimum: 0, examples: [1] } };
}
