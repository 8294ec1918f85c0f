import { z } from 'zod';
import type { ReceivedProblem } from './errors.ts';
import { safeText } from './safe-text.ts';

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
export function readProblem(status: number, body: unknown, secrets: readonly string[]): ReceivedProblem | undefined {
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
