import type { PersonSession } from '@rolecall/api';
import { notFound } from '../refusal.ts';
import { deleteSession, selectAllSessions } from '../store/person-session.ts';
import type { Handlers, RequestStore, Services } from './handler.ts';

/** Parts that list sessions and end them, for a key and for an administrator. */
interface SessionParts {
  readonly store: Pick<RequestStore, 'read' | 'write'>;
  readonly sessions: Services['sessions'];
}

export const sessionHandlers = {
  listSessions: (_request, context) => listSessions(context),
  endSession: ({ params }, context) => endSession(params.session, context),
} satisfies Partial<Handlers>;

/** The sessions that are valid now, the newest first. */
export async function listSessions({ store, sessions }: SessionParts): Promise<PersonSession[]> {
  const all = await store.read(selectAllSessions);
  return all
    .filter((session) => sessions.isValid(session))
    .map(({ id, person, kind, factors, createdAt, lastUsedAt, expiresAt, address, client }) => {
      return { id, person, kind, factors: [...factors], createdAt, lastUsedAt, expiresAt, address, client };
    });
}

/** @throws Refusal not_found */
export async function endSession(
  session: string,
  { store }: Pick<SessionParts, 'store'>,
): Promise<Record<string, never>> {
  await store.write([], async (executor, record) => {
    if (!(await deleteSession(executor, session))) throw notFound('session', session);
    record([{ kind: 'session', id: session, action: 'deleted' }]);
  });
  return {};
}
