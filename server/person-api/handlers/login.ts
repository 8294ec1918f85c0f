import { created } from '../../audit/change.ts';
import { networkOf } from '../../http/connections.ts';
import { tooManyRequests } from '../../http/limits/rate-limits.ts';
import { Refusal } from '../../refusal.ts';
import type { LiveSession } from '../../sign-in/sessions.ts';
import {
  beginLogin,
  confirmLogin,
  findLogin,
  findWaiting,
  isConfirmation,
  takeLogin,
} from '../../sign-in/tool-logins.ts';
import { selectSessions } from '../../store/person-session.ts';
import type { Executor } from '../../store/store.ts';
import type { PersonContext, PersonHandlers } from '../handler.ts';

export const loginHandlers = {
  requestLogin: async ({ body }, { store, seal, asker, origin, signIn }) => {
    const network = networkOf(asker.address);
    const wait = signIn.toolLogins.wait(network);
    if (wait > 0) throw tooManyRequests('too many tools of this address have asked to be signed in', wait);
    signIn.toolLogins.take(network);
    const waiting = { tool: body.tool, port: body.port ?? null, address: asker.address };
    const begun = await store.write([], (executor) => beginLogin(executor, seal, waiting));
    // Behind the hash sign, where no log and no Referer header has it.
    return { ...begun, url: `${origin() ?? ''}/login#${begun.code}` };
  },

  getLogin: async ({ params }, context, session) => {
    const { tool, address, row } = await context.store.read((executor) =>
      requireWaiting(executor, context, session, params.code),
    );
    return { tool, address, expiresAt: row.expiresAt };
  },

  confirmLogin: async ({ params }, context, session) => {
    const { id, person, kind, factors, providerSession } = session;
    // Otherwise a tool that was confirmed by mistake could open sessions that go on when its own was ended.
    if (kind !== 'browser') throw new Refusal('sign_in_refused', 'a tool is confirmed in a browser');
    const { port, brought } = await context.store.write([], async (executor, record) => {
      const login = await requireWaiting(executor, context, session, params.code);
      const confirmation = { session: id, person: person.id, factors, providerSession };
      const brought = await confirmLogin(executor, context.seal, login, confirmation);
      const { tool, address } = login;
      record([{ kind: 'person', id: person.id, name: person.username, action: 'changed', after: { tool, address } }]);
      return { port: login.port, brought };
    });
    return { redirect: brought === undefined ? null : `http://127.0.0.1:${String(port)}/?confirmation=${brought}` };
  },

  redeemLogin: async ({ body }, context) => {
    const { store, seal, sessions, asker } = context;
    const refused = new Refusal(
      'sign_in_refused',
      'the login is unknown, expired or already used, or the session that confirmed it has ended',
    );
    const waiting = await store.read((executor) => findLogin(executor, seal, body.secret));
    if (waiting === undefined) throw refused;
    const { confirmed, tool } = waiting;
    if (confirmed === null) return { state: 'waiting' as const, token: null, expiresAt: null, person: null };
    if (!isConfirmation(confirmed, body.confirmation)) throw refused;
    return store.write(
      [],
      async (executor, record) => {
        // Who ends the sessions of a person, because one was stolen, must end what that one confirmed, too.
        const [confirming] = await selectSessions(executor, [confirmed.session]);
        if (!(await takeLogin(executor, body.secret)) || confirming === undefined || !sessions.isValid(confirming)) {
          throw refused;
        }
        const { person } = confirming;
        const { factors, providerSession } = confirmed;
        const { id, token, expiresAt } = await sessions.open(executor, {
          person: person.id,
          kind: 'command_line',
          state: 'whole',
          factors,
          address: asker.address,
          client: tool,
          // Otherwise a session could be renewed for ever, and no one would have to prove who they are again.
          until: confirming.expiresAt,
          ...(providerSession === null ? {} : { providerSession }),
        });
        const fields = { person: person.id, state: 'whole', factors: [...factors], address: asker.address, tool };
        record([created({ kind: 'session', id, fields })]);
        const { name, username, email } = person;
        return { state: 'done' as const, token, expiresAt, person: { id: person.id, name, username, email } };
      },
      confirmed.person,
    );
  },
} satisfies Partial<PersonHandlers>;

/** Finds what waits under a code; who tries many codes is slowed down. @throws Refusal sign_in_refused, too_many_requests */
function requireWaiting(
  executor: Executor,
  { seal, signIn, asker }: PersonContext,
  session: LiveSession,
  code: string,
) {
  const guess = {
    what: 'code',
    name: `login ${session.person.id}`,
    address: asker.address,
    device: session.id,
  } as const;
  return signIn.guesses.attempt(
    guess,
    async () => {
      const login = await findWaiting(executor, seal, code);
      if (login === undefined) throw new Refusal('sign_in_refused', `no tool waits under the code ${code}`);
      return login;
    },
    () => undefined,
  );
}
