import type { Me, Session } from '@rolecall/api';
import type { LiveSession } from '../../sign-in/sessions.ts';
import type { StoredSession } from '../../store/person-session.ts';

/** The person of a session, as they see themselves. */
export function showMe(session: LiveSession): Me {
  const { person, state, csrfToken } = session;
  return { person, session: showSession(session, session.id), state, csrfToken };
}

/** A session, as its person sees it among theirs. @param current the id of the one that asks */
export function showSession(session: StoredSession, current: string): Session {
  const { id, kind, factors, createdAt, lastUsedAt, expiresAt, address, client } = session;
  return {
    id,
    kind,
    factors: [...factors],
    createdAt,
    lastUsedAt,
    expiresAt,
    address,
    client,
    isCurrent: id === current,
  };
}
