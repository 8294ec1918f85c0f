import { z } from 'zod';
import { type ProblemCode, problemCodes, problems } from './problems.ts';

/** The body of every error (RFC 9457, application/problem+json). */
export const problemSchema = z
  .object({
    type: z.string().meta({ examples: ['urn:rolecall:problem:username_taken'] }),
    title: z.string().meta({ examples: [problems.username_taken.title] }),
    status: z
      .int()
      .min(400)
      .max(599)
      .meta({ examples: [409] }),
    code: z.enum(problemCodes).meta({ description: 'stable; docs/errors.md lists them', examples: ['username_taken'] }),
    detail: z
      .string()
      .meta({ description: 'what happened, in words', examples: ['another person has the username ada'] }),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .meta({ description: 'the invalid fields', examples: [[{ path: 'username', message: 'is taken' }]] }),
    requestId: z
      .string()
      .optional()
      .meta({ description: 'finds the request in the log', examples: ['req-1f'] }),
  })
  .meta({ id: 'Problem' });

export type Problem = z.output<typeof problemSchema>;
export type FieldError = NonNullable<Problem['errors']>[number];

/** Builds the body of an error from the registry. */
export function problemBody(
  code: ProblemCode,
  detail: string,
  more: { errors?: FieldError[]; requestId?: string } = {},
): Problem {
  const { title, status } = problems[code];
  return { type: `urn:rolecall:problem:${code}`, title, status, code, detail, ...more };
}
