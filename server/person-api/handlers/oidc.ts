import { OwnAnswer } from '../../http/messages/own-answer.ts';
import { newId } from '../../ids.ts';
import { messagesOf, Refusal } from '../../refusal.ts';
import { readFactors, stateAfter } from '../../sign-in/factors.ts';
import { bindAccount, findPersonOfAccount } from '../../sign-in/oidc/account.ts';
import type { Identity } from '../../sign-in/oidc/claims.ts';
import { type Flow, flowSeconds, type OidcProvider } from '../../sign-in/oidc/provider.ts';
import { flowCookie, openFlow, sealFlow } from '../../sign-in/oidc/providers.ts';
import { OidcRefusal } from '../../sign-in/oidc/refusal.ts';
import { canHavePasskeys } from '../../sign-in/passkeys.ts';
import { hashToken } from '../../sign-in/secret-token.ts';
import { UniqueError } from '../../store/errors.ts';
import { deleteExpiredTokens, insertToken } from '../../store/one-time-token.ts';
import { findPerson } from '../../store/person.ts';
import { deleteSessionsOf, deleteSessionsOfIssuer, deleteSessionsOfProvider } from '../../store/person-session.ts';
import type { Executor } from '../../store/store.ts';
import type { PersonContext, PersonHandlers } from '../handler.ts';
import { openSession } from '../sign-in/open-session.ts';

export const oidcHandlers = {
  getSignInOptions: (_request, { oidc, origin }) =>
    Promise.resolve({ password: true, passkeys: canHavePasskeys(origin() ?? ''), issuers: oidc.list() }),

  beginOidcSignIn: ({ params, query }, context) =>
    onPage(context, async () => {
      const { oidc, store, seal, cookie, asker } = context;
      // A provider that knows the person asks nothing: the link of another site would open a session that no one asked for.
      if (asker.isFromElsewhere) throw new OidcRefusal('other_site', 'the sign-in was not begun on the page');
      const { flow, url } = await oidc.find(params.issuer).begin(query.returnTo ?? '/', query.fresh !== undefined);
      // Within a read: the store's key may be changed at any moment.
      cookie.keep(flowCookie, await store.read(() => Promise.resolve(sealFlow(flow, seal))), flowSeconds);
      return redirect(url.href);
    }),

  finishOidcSignIn: ({ params, query }, context) =>
    onPage(context, async () => {
      const { oidc, store, seal, origin, cookie } = context;
      const provider = oidc.find(params.issuer);
      const flow = await store.read(() => Promise.resolve(openFlow(cookie.read(flowCookie), params.issuer, seal)));
      cookie.keep(flowCookie, '', 0);
      const returned = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
      // Each is a request to the provider, which the cookie of one browser could otherwise repeat without end.
      const identity = await context.signIn.guesses.attempt(
        { what: 'callback', address: context.asker.address },
        () => provider.finish(returned.toString(), flow),
        () => undefined,
      );
      cookie.set(await signIn(provider, { identity, flow }, context));
      return redirect(`${origin() ?? ''}${flow.returnTo}`);
    }),

  endSessionsOfProvider: async ({ params, body }, { oidc, store, seal }) => {
    const provider = oidc.find(params.issuer);
    const logout = await provider.readLogout(body.logout_token);
    const { issuer } = provider.settings;
    await once(
      () =>
        store.write([], async (executor, record) => {
          await useUp(executor, seal, {
            kind: 'oidc_logout',
            secret: `${issuer} ${logout.id}`,
            expiresAt: logout.expiresAt,
          });
          const person =
            logout.subject === undefined
              ? undefined
              : await findPersonOfAccount(executor, seal, { issuer, subject: logout.subject });
          // A token with a session ends that one, and those for which the provider gave no session.
          const ended =
            logout.session === undefined
              ? await deleteSessionsOf(executor, person ?? '')
              : [
                  ...(await deleteSessionsOfProvider(executor, `${issuer} ${logout.session}`)),
                  ...(await deleteSessionsOfIssuer(executor, person ?? '', issuer)),
                ];
          record(ended.map(({ id }) => ({ kind: 'session', id, action: 'deleted' })));
        }),
      () => new Refusal('logout_token_refused', 'the logout token was used before'),
    );
    return {};
  },
} satisfies Partial<PersonHandlers>;

/** Opens the session of the person whom a provider has signed in. @returns its token @throws Refusal sign_in_refused */
async function signIn(
  { settings }: OidcProvider,
  { identity, flow }: { identity: Identity; flow: Flow },
  context: PersonContext,
): Promise<string> {
  const { store, seal, signIn: services, asker } = context;
  const { issuer, subject, session, isTwoFactor, provenAt } = identity;
  try {
    return await once(
      () =>
        store.write([], async (executor, record) => {
          await useUp(executor, seal, { kind: 'oidc_state', secret: flow.state, expiresAt: flow.expiresAt });
          const boundPerson = await findPersonOfAccount(executor, seal, identity);
          const person = boundPerson ?? (await bindAccount(executor, seal, { identity, settings }));
          if ((await findPerson(executor, person))?.isLocked !== false) {
            throw new OidcRefusal('locked', 'your account here is locked');
          }
          const factors = await readFactors(executor, seal, person);
          return openSession(context, executor, {
            person,
            state: stateAfter(isTwoFactor ? ['oidc'] : [], factors, services.requireTwoFactor),
            factors: ['oidc'],
            providerSession: session === undefined ? issuer : `${issuer} ${session}`,
            // A provider that does not say when may have asked the person days ago.
            provenAt: provenAt ?? (flow.isFresh ? undefined : 0),
            record,
          });
        }),
      () => new OidcRefusal('used', 'this sign-in was ended before'),
    );
  } catch (error) {
    // Anyone can send a request that is refused earlier; here the provider vouches for an account.
    if (error instanceof Refusal) {
      const after = { reason: error.message, issuer, subject, address: asker.address };
      await store.note([{ kind: 'session', id: '', action: 'log-in failed', after }]);
    }
    throw error;
  }
}

interface Used {
  readonly kind: 'oidc_state' | 'oidc_logout';
  readonly secret: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Records that a single-use value was used. It accepts only values that a provider has signed, so the rows are bounded. */
async function useUp(
  executor: Executor,
  seal: PersonContext['seal'],
  { kind, secret, expiresAt }: Used,
): Promise<void> {
  const now = (await executor.now()).toISOString();
  await deleteExpiredTokens(executor, now);
  const id = newId();
  await insertToken(executor, {
    id,
    kind,
    tokenHash: hashToken(`${kind} ${secret}`),
    person: null,
    sealed: seal.close('', `one_time_token ${id}`),
    lookup: null,
    createdAt: now,
    expiresAt: new Date(expiresAt).toISOString(),
  });
}

/** @param again what to refuse with where another request was the first */
async function once<T>(write: () => Promise<T>, again: () => Refusal): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw error instanceof UniqueError ? again() : error;
  }
}

function redirect(address: string): OwnAnswer {
  return new OwnAnswer((reply) => {
    void reply.header('cache-control', 'no-store').redirect(address, 303);
  });
}

/** Leads a browser whose sign-in failed to the page, which says why. */
async function onPage({ origin }: PersonContext, work: () => Promise<OwnAnswer>): Promise<OwnAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OidcRefusal)) throw error;
    return new OwnAnswer((reply) => {
      reply.log.warn({ reason: messagesOf(error.cause) }, error.message);
      return redirect(`${origin() ?? ''}/sign-in?error=${error.error}`).send(reply);
    });
  }
}
