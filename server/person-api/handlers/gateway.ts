import { clientSettings } from '../../gateway/client-settings.ts';
import { newPassword, storePassword } from '../../gateway/passwords.ts';
import { endGatewaySession, withEnds } from '../../handlers/gateway-session.ts';
import { findDataSource } from '../../store/data-source.ts';
import { deletePassword, isUsable, selectPasswordsOf } from '../../store/gateway-password.ts';
import { selectGatewaySessionsOf } from '../../store/gateway-session.ts';
import { requireStill } from '../caller.ts';
import type { PersonHandlers } from '../handler.ts';
import { notReached } from '../owned.ts';

const defaultMinutes = 60;

/** The most sessions that one list has. */
const mostSessions = 1000;

export const gatewayHandlers = {
  createGatewayPassword: async ({ params, body }, context, session) => {
    const { store, seal, gate, signIn, gatewayAddress } = context;
    const { minutes = defaultMinutes } = body;
    const { person } = session;
    const made = await newPassword();
    const reach = await gate.reach(person.id, params.dataSource);
    return store.write([], async (executor, record) => {
      const source = await findDataSource(executor, params.dataSource);
      if (source === undefined) throw notReached(params.dataSource);
      await requireStill(executor, session);
      await signIn.clock.refresh(executor);
      const now = signIn.clock.now();
      const expiresAt = Math.min(
        now + minutes * 60_000,
        Date.parse(session.expiresAt),
        reach.allowed ? reach.until : now,
      );
      const owner = { person: person.id, dataSource: source.id, session: session.id };
      const id = await storePassword(executor, seal, owner, made, { now, expiresAt });
      const times = { createdAt: new Date(now).toISOString(), expiresAt: new Date(expiresAt).toISOString() };
      record([{ kind: 'gateway_password', id, action: 'created', after: { dataSource: source.id, ...times } }]);
      const gateway = gatewayAddress(source.type);
      const login = { user: person.username, database: source.alias ?? source.id, password: made.password };
      return {
        id,
        dataSource: { id: source.id, name: source.name, alias: source.alias },
        ...times,
        gateway,
        ...login,
        settings: (gateway && clientSettings(source.type, { gateway, ...login })) ?? null,
      };
    });
  },

  listMyGatewayPasswords: async (_request, { store, signIn }, { person }) => {
    const all = await store.read(async (executor) => {
      await signIn.clock.refresh(executor);
      return selectPasswordsOf(executor, person.id);
    });
    return all
      .filter((password) => isUsable(password, signIn.clock.now()))
      .map(({ id, dataSource, sourceName, sourceAlias, createdAt, expiresAt }) => ({
        id,
        dataSource: { id: dataSource, name: sourceName, alias: sourceAlias },
        createdAt,
        expiresAt,
      }));
  },

  endMyGatewayPassword: async ({ params }, { store }) => {
    await store.write([], async (executor, record) => {
      if (await deletePassword(executor, params.password)) {
        record([{ kind: 'gateway_password', id: params.password, action: 'deleted' }]);
      }
    });
    return {};
  },

  listMyGatewaySessions: async (_request, { store, gate }, { person }) => {
    const sessions = await store.read((executor) => selectGatewaySessionsOf(executor, person.id, mostSessions));
    return (await withEnds(sessions, gate)).map(({ person: _person, process: _process, ...session }) => session);
  },

  endMyGatewaySession: ({ params }, context) =>
    endGatewaySession(params.gatewaySession, 'you ended this session', context),
} satisfies Partial<PersonHandlers>;
