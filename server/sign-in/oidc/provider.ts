import { errors } from 'jose';
import * as client from 'openid-client';
import { fetchBounded } from '../../http/fetch-bounded.ts';
import { Refusal } from '../../refusal.ts';
import { IssuerError, IssuerKeys, type IssuerMetadata } from '../../tokens/issuer-keys.ts';
import { addUserinfo, claimsSchema, haveAll, type Identity, identityOf, leeway, requireClaims } from './claims.ts';
import { isCancelled, isUnreachable, reasonOf } from './provider-errors.ts';
import { OidcRefusal } from './refusal.ts';
import type { OidcIssuer } from './settings.ts';
import { type Logout, verifyIdToken, verifyLogoutToken } from './signed-tokens.ts';

/** The values that a browser must bring back from the provider, and where it goes then. */
export interface Flow {
  /** The id of the issuer in the settings. */
  readonly issuer: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** A path of the service's own. */
  readonly returnTo: string;
  /** True if the provider was told to ask the person again. */
  readonly isFresh: boolean;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Seconds that a person has for a sign-in at the provider. */
export const flowSeconds = 600;

/** Milliseconds since a provider's last answer within which browsers are sent there: one that is down tells people nothing. */
const upWithin = 10_000;

/** An OpenID provider with which people sign in. */
export class OidcProvider {
  readonly settings: OidcIssuer;
  readonly #keys: IssuerKeys;
  readonly #redirectUri: () => string;
  #configured: { readonly metadata: IssuerMetadata; readonly configuration: client.Configuration } | undefined;

  /** @param redirectUri the address to which the provider sends browsers back */
  constructor(settings: OidcIssuer, redirectUri: () => string) {
    this.settings = settings;
    this.#redirectUri = redirectUri;
    this.#keys = new IssuerKeys(settings.issuer, () => performance.now());
  }

  /**
   * Begins a sign-in.
   *
   * @param isFresh whether the person has to prove who they are although the provider knows them still
   * @throws Refusal provider_unavailable, sign_in_refused
   */
  async begin(returnTo: string, isFresh: boolean): Promise<{ flow: Flow; url: URL }> {
    const configuration = await this.#configuration(upWithin);
    const { id: issuer, scopes, twoFactor } = this.settings;
    const flow: Flow = {
      issuer,
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      returnTo,
      isFresh,
      expiresAt: Date.now() + flowSeconds * 1000,
    };
    const acr = typeof twoFactor === 'object' ? twoFactor.acr : undefined;
    const parameters = {
      redirect_uri: this.#redirectUri(),
      scope: scopes.join(' '),
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
      ...(acr === undefined ? {} : { acr_values: acr.join(' ') }),
      ...(isFresh ? { prompt: 'login' } : {}),
    };
    // One without such an address is none that people can sign in with.
    const url = await this.#explained(() => Promise.resolve(client.buildAuthorizationUrl(configuration, parameters)));
    return { flow, url };
  }

  /**
   * Ends a sign-in: exchanges the code that the browser brought for what the provider says about the person.
   *
   * @param query of the address to which the browser was sent back
   * @throws Refusal sign_in_refused, provider_unavailable
   */
  async finish(query: string, flow: Flow): Promise<Identity> {
    const configuration = await this.#configuration();
    const claims = await this.#explained(async () => {
      // Not the address that the request names: its host is the client's to choose.
      const returned = new URL(`${this.#redirectUri()}?${query}`);
      const tokens = await client.authorizationCodeGrant(configuration, returned, {
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        pkceCodeVerifier: flow.verifier,
        idTokenExpected: true,
      });
      const claims = claimsSchema.parse(await verifyIdToken(tokens.id_token ?? '', this.#keys.findNew, this.settings));
      const { userinfo_endpoint: more } = configuration.serverMetadata();
      if (more === undefined || haveAll(claims, this.settings)) return claims;
      return addUserinfo(claims, await client.fetchUserInfo(configuration, tokens.access_token, claims.sub));
    });
    requireClaims(claims, this.settings);
    return identityOf(claims, this.settings);
  }

  /** Checks a logout token. @throws Refusal logout_token_refused, provider_unavailable */
  async readLogout(token: string): Promise<Logout> {
    try {
      return await verifyLogoutToken(token, this.#keys.find, this.settings);
    } catch (error) {
      if (error instanceof IssuerError) throw this.#unavailable(error);
      const why = error instanceof errors.JOSEError ? error.message : 'it is not a logout token';
      throw new Refusal('logout_token_refused', `the logout token is refused: ${why}`, { cause: error });
    }
  }

  async #configuration(maxAge?: number): Promise<client.Configuration> {
    const metadata = await this.#keys.metadata(maxAge).catch((error: unknown) => {
      throw error instanceof IssuerError ? this.#unavailable(error) : error;
    });
    if (this.#configured?.metadata === metadata) return this.#configured.configuration;
    const { issuer, clientId } = this.settings;
    const configuration = new client.Configuration(
      metadata,
      clientId,
      { [client.clockTolerance]: leeway },
      clientAuthentication(this.settings, metadata),
    );
    // Only an issuer on this machine can have such an address. The library marks it as deprecated to make it stand out.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    if (issuer.startsWith('http:')) client.allowInsecureRequests(configuration);
    configuration[client.customFetch] = fetchBounded;
    this.#configured = { metadata, configuration };
    return configuration;
  }

  async #explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof IssuerError || isUnreachable(error)) throw this.#unavailable(error);
      const code = isCancelled(error) ? 'cancelled' : 'provider_failed';
      throw new OidcRefusal(code, `${this.settings.name} did not sign you in: ${reasonOf(error)}`, error);
    }
  }

  #unavailable(cause: unknown): OidcRefusal {
    return new OidcRefusal('provider_unavailable', `${this.settings.name} cannot be reached at the moment`, cause);
  }
}

/** Chooses the proof of the service to the provider: HTTP Basic, unless either side says otherwise. */
function clientAuthentication(
  { clientSecret, clientAuthentication: chosen }: OidcIssuer,
  { token_endpoint_auth_methods_supported: offered }: IssuerMetadata,
): client.ClientAuth {
  if (clientSecret === undefined) return client.None();
  const offersBasic = !Array.isArray(offered) || offered.includes('client_secret_basic');
  const method = chosen ?? (offersBasic ? 'client_secret_basic' : 'client_secret_post');
  return method === 'client_secret_post'
    ? client.ClientSecretPost(clientSecret)
    : client.ClientSecretBasic(clientSecret);
}
