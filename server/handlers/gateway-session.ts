import { type AnswerOf, type GatewaySession, gatewaySessionsAPage } from '@rolecall/api';
import type { Gate } from '../access/gate.ts';
import { notFound } from '../refusal.ts';
import { searchPattern } from '../store/administration.ts';
import { type ListedGatewaySession, requestSessionEnd, searchGatewaySessions } from '../store/gateway-session.ts';
import type { Handlers, RequestStore } from './handler.ts';

/** Parts that list the sessions of the gateway and end them, for a key, an administrator and the person. */
interface Parts {
  readonly store: Pick<RequestStore, 'read' | 'write'>;
  readonly gate: Gate;
}

export const gatewaySessionHandlers = {
  listGatewaySessions: ({ query }, context) => listGatewaySessions(query, context),
  endGatewaySession: ({ params }, context) => endGatewaySession(params.gatewaySession, byAdministrator, context),
} satisfies Partial<Handlers>;

/** Message to the client of a session that an administrator ends. */
export const byAdministrator = 'an administrator ended this session';

/** One page of the open sessions of everyone. */
export async function listGatewaySessions(
  { search = '', offset = 0 }: { search?: string | undefined; offset?: number | undefined },
  { store, gate }: Parts,
): Promise<AnswerOf<'listGatewaySessions'>> {
  // One session more than a page has tells whether others follow.
  const wanted = { pattern: searchPattern(search), offset, limit: gatewaySessionsAPage + 1 };
  const page = await store.read((executor) => searchGatewaySessions(executor, wanted));
  const sessions = await withEnds(page.slice(0, gatewaySessionsAPage), gate);
  return { sessions, isComplete: page.length <= gatewaySessionsAPage };
}

/** Adds when the access ends that each session depends on. */
export async function withEnds(sessions: readonly ListedGatewaySession[], gate: Gate): Promise<GatewaySession[]> {
  const asked = new Map<string, ReturnType<Gate['reach']>>();
  return Promise.all(
    sessions.map(async (session) => {
      const { person, dataSource } = session;
      const pair = `${person.id} ${dataSource.id}`;
      const asking = asked.get(pair) ?? gate.reach(person.id, dataSource.id);
      asked.set(pair, asking);
      const reach = await asking;
      const isEndless = !reach.allowed || reach.until === Infinity;
      return { ...session, until: isEndless ? null : new Date(reach.until).toISOString() };
    }),
  );
}

/**
 * Ends a session at its process, which looks for it some times a second.
 *
 * @param reason for the person
 * @throws Refusal not_found
 */
export async function endGatewaySession(
  id: string,
  reason: string,
  { store }: Pick<Parts, 'store'>,
): Promise<Record<string, never>> {
  await store.write([], async (executor, record) => {
    if (!(await requestSessionEnd(executor, id, reason))) throw notFound('session of the gateway', id);
    record([{ kind: 'gateway_session', id, action: 'ended', after: { reason } }]);
  });
  return {};
}
