import { deleteSession, selectSessionsOf } from '../../store/person-session.ts';
import type { PersonHandlers } from '../handler.ts';
import { showMe, showSession } from '../sign-in/show-session.ts';

export const sessionHandlers = {
  getMe: (_request, _context, session) => Promise.resolve(showMe(session)),

  signOut: async (_request, { store, cookie }, session) => {
    await store.write([], async (executor, record) => {
      if (await deleteSession(executor, session.id)) record([{ kind: 'session', id: session.id, action: 'deleted' }]);
    });
    cookie.clear();
    return {};
  },

  listMySessions: async (_request, { store, sessions }, { id, person }) => {
    const all = await store.read((executor) => selectSessionsOf(executor, person.id));
    return all.filter((session) => sessions.isValid(session)).map((session) => showSession(session, id));
  },

  endMySession: async ({ params }, { store }) => {
    await store.write([], async (executor, record) => {
      if (await deleteSession(executor, params.session)) {
        record([{ kind: 'session', id: params.session, action: 'deleted' }]);
      }
    });
    return {};
  },
} satisfies Partial<PersonHandlers>;
