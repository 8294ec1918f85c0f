import { type CallContext, RedirectError, type UnexpectedAnswer } from './errors.ts';
import type { Settings } from './options.ts';
import { safeText } from './safe-text.ts';

/** Says which URL to use, when the redirect keeps the operation's path; else that the URL is not the service's. */
export function redirectError(
  context: CallContext,
  answer: UnexpectedAnswer,
  header: string | undefined,
  { base, secrets }: Settings,
): RedirectError {
  const target = header === undefined ? null : URL.parse(header, base.origin + context.path);
  if (target === null) {
    return new RedirectError(context, 'a redirect that names no URL; check the URL of the service', answer, undefined);
  }
  // Without its query string, which in a log-in redirect carries tokens.
  const location = safeText(target.origin + target.pathname, 1000, secrets);
  const operation = context.path.slice(base.prefix.length);
  const what = location.endsWith(operation)
    ? `a redirect, which is not followed. Use ${location.slice(0, -operation.length)} as the URL of the service`
    : `a redirect to ${location}, so the URL is not that of the service itself, or a log-in stands before it`;
  return new RedirectError(context, what, answer, location);
}
