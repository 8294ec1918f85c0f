import type { PersonRoute } from '@rolecall/api';
import { Refusal } from '../refusal.ts';
import type { LiveSession, Sessions } from '../sign-in/sessions.ts';
import { findSessionOf } from '../store/person-session.ts';
import type { Executor } from '../store/store.ts';
import { Cookie } from './cookie.ts';

/** The headers by which the service tells who sends a request, and from which page. */
export interface CallerHeaders {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | undefined;
  readonly 'rolecall-csrf'?: string | string[] | undefined;
}

interface CallerParts {
  readonly sessions: Sessions;
  readonly origin: () => string | undefined;
}

/**
 * Finds the session of a request, and checks it against the route's rule.
 *
 * @returns undefined for a route that needs none
 * @throws Refusal sign_in_unavailable, cross_site_request, signed_out, second_factor_required, recent_sign_in_required
 */
export async function requireSession(
  route: PersonRoute,
  headers: CallerHeaders,
  { sessions, origin }: CallerParts,
): Promise<LiveSession | undefined> {
  const ownOrigin = origin();
  if (ownOrigin === undefined) {
    throw new Refusal('sign_in_unavailable', 'the service does not know the address under which browsers reach it');
  }
  const changes = route.method !== 'GET';
  if (changes) requireSameSite(headers, ownOrigin);
  if (route.session === 'none') return undefined;
  const bearer = /^Bearer ([A-Za-z0-9_-]{1,100})$/.exec(headers.authorization ?? '')?.[1];
  const token = bearer ?? new Cookie(ownOrigin).read(headers.cookie);
  const session = token === undefined ? undefined : await sessions.find(token);
  // A token that leaks from one place is worth nothing in the other.
  if (session === undefined || session.kind !== (bearer === undefined ? 'browser' : 'command_line')) throw signedOut();
  if (changes && bearer === undefined && headers['rolecall-csrf'] !== session.csrfToken) {
    throw new Refusal('cross_site_request', 'the header rolecall-csrf is not the token of this session');
  }
  requireState(route, session);
  return session;
}

/**
 * Checks, within a write, that the session has not ended since the request was let in: who ends the session of a thief must be
 * rid of what it was about to do.
 *
 * @throws Refusal signed_out
 */
export async function requireStill(executor: Executor, { id, person }: LiveSession): Promise<void> {
  if ((await findSessionOf(executor, id, person.id)) === undefined) {
    throw new Refusal('signed_out', 'the session has ended');
  }
}

/** Browsers name the page that sends a request; other clients do not, and have no cookie that a page could use. */
function requireSameSite({ origin, 'sec-fetch-site': site }: CallerHeaders, ownOrigin: string): void {
  if (origin !== undefined && origin !== ownOrigin) {
    throw new Refusal('cross_site_request', `the request comes from ${origin.slice(0, 200)}, not from ${ownOrigin}`);
  }
  if (site !== undefined && site !== 'same-origin') {
    throw new Refusal('cross_site_request', `the request comes from another site than ${ownOrigin}`);
  }
}

/** True if a page of another site sent the browser here. A browser says `none` where the person typed the address. */
export function isFromElsewhere({ 'sec-fetch-site': site }: CallerHeaders): boolean {
  return site === 'cross-site' || site === 'same-site';
}

function requireState({ session: needed }: PersonRoute, session: LiveSession): void {
  if (needed === 'pending' || (needed === 'enrolling' && session.state === 'enrolling')) return;
  if (session.state !== 'whole') {
    throw new Refusal('second_factor_required', 'the session lacks its second factor');
  }
  if (needed !== 'whole' && !session.isRecent) {
    const why =
      session.kind === 'browser'
        ? 'you last proved who you are more than ten minutes ago'
        : 'a session of the command line may not do this: use the page';
    throw new Refusal('recent_sign_in_required', why);
  }
}

function signedOut(): Refusal {
  return new Refusal('signed_out', 'the request has no session that is valid now', {
    headers: { 'www-authenticate': 'Bearer realm="rolecall"' },
  });
}
