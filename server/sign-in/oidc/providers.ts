import { personApiPath } from '@rolecall/api';
import { notFound } from '../../refusal.ts';
import { openGenuine, type Seal } from '../../secrets/seal.ts';
import { type Flow, OidcProvider } from './provider.ts';
import { OidcRefusal } from './refusal.ts';
import type { OidcIssuer } from './settings.ts';

/** The OpenID providers with which people sign in. */
export class OidcProviders {
  readonly #providers: readonly OidcProvider[];

  /** @param origin the address under which browsers reach the service */
  constructor(settings: readonly OidcIssuer[], origin: () => string | undefined) {
    this.#providers = settings.map(
      (oidc) => new OidcProvider(oidc, () => `${origin() ?? ''}${personApiPath}/sign-in/oidc/${oidc.id}/callback`),
    );
  }

  list(): { id: string; name: string }[] {
    return this.#providers.map(({ settings: { id, name } }) => ({ id, name }));
  }

  /** @throws Refusal not_found */
  find(id: string): OidcProvider {
    const provider = this.#providers.find(({ settings }) => settings.id === id);
    if (provider === undefined) throw notFound('OpenID provider', id);
    return provider;
  }
}

/** The name of the cookie that binds a sign-in to the browser that began it. */
export const flowCookie = 'sign-in';

const cookieRow = 'sign-in cookie';

/** Seals the values that a browser must bring back, so that a sign-in that anyone can begin needs no row. */
export function sealFlow(flow: Flow, seal: Seal): string {
  return Buffer.from(seal.close(JSON.stringify(flow), cookieRow)).toString('base64url');
}

/**
 * Opens what a browser brings back. A sign-in that was begun in another browser is refused: its account would be planted here.
 *
 * @throws Refusal sign_in_refused
 */
export function openFlow(cookie: string | undefined, issuer: string, seal: Seal): Flow {
  const flow = cookie === undefined ? undefined : unseal(cookie, seal);
  if (flow === undefined || flow.issuer !== issuer) {
    throw new OidcRefusal(
      'other_browser',
      'this sign-in was not begun in this browser, or another one was begun since',
    );
  }
  if (Date.now() >= flow.expiresAt) throw new OidcRefusal('too_late', 'this sign-in was begun too long ago');
  return flow;
}

function unseal(cookie: string, seal: Seal): Flow | undefined {
  const opened = openGenuine(seal, Buffer.from(cookie, 'base64url'), cookieRow);
  // Only the service can seal, and it seals flows.
  return opened === undefined ? undefined : (JSON.parse(opened) as Flow);
}
