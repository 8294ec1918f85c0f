import { type CallContext, RedirectError, type UnexpectedAnswer } from './errors.ts';
import type { Settings } from './options.ts';
import { safeText } from './safe-text.ts';

/** Names the URL to use if the redirect keeps the operation's path; otherwise says that the URL is not the service's. */
export function redirectError(
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
