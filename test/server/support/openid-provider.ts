import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { type ClientAuthMethod, Provider } from 'oidc-provider';
import { listenOn } from '../../support/relay.ts';

/** A person whom the provider knows. */
export interface Account {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly [claim: string]: unknown;
}

/** Takes the place of the provider's ID token: gets its claims, and gives the token that is answered. */
export type Forge = (
  claims: JWTPayload,
  sign: (claims: JWTPayload, key?: CryptoKey) => Promise<string>,
) => Promise<string>;

export const clientId = 'rolecall';
export const clientSecret = 'a-secret-of-the-client-that-is-long-enough';

/** A real OpenID provider on loopback, which signs in whom a test says, without a page. */
export class OpenIdProvider {
  readonly issuer: string;
  readonly #server;
  /** Who is signed in next, by the subject. */
  subject = 'subject-1';
  readonly accounts = new Map<string, Account>();
  forge: Forge | undefined;
  /** Answers every request for tokens with the last answer, as a provider does that takes a code twice. */
  isRepeating = false;
  /** The ways that it offers to clients for proving who they are. */
  offered: ClientAuthMethod[] = ['client_secret_basic', 'client_secret_post'];
  /** The way that the client took last; the provider itself takes either. */
  taken: ClientAuthMethod | undefined;
  #tokens = '';
  #key!: { jwk: JWK; privateKey: CryptoKey };
  #provider: Provider | undefined;
  #redirects: { redirectUri: string | string[]; logoutUri?: string } | undefined;

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<OpenIdProvider> {
    const server = createServer();
    await listenOn(server);
    const provider = new OpenIdProvider(server);
    server.on('request', (request, response) => {
      provider.#answer(request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    });
    after(() => {
      provider.stop();
    });
    return provider;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Settings of the service for this provider. */
  settings(id: string, more: object = {}) {
    return {
      id,
      name: id,
      issuer: this.issuer,
      clientId,
      scopes: ['openid', 'email'],
      claims: {},
      bindByEmail: true,
      twoFactor: false,
      clientSecret,
      ...more,
    };
  }

  /** Makes the service a client of the provider, with keys of its own; again with new keys. */
  async register(redirectUri: string | string[], logoutUri?: string): Promise<void> {
    this.#redirects = { redirectUri, ...(logoutUri === undefined ? {} : { logoutUri }) };
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    this.#key = {
      privateKey,
      jwk: { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: 'RS256', use: 'sig' },
    };
    this.#provider = this.#make();
  }

  async rotateKeys(): Promise<void> {
    const { redirectUri, logoutUri } = this.#redirects!;
    await this.register(redirectUri, logoutUri);
  }

  /** Signs a token as the provider does. */
  readonly sign = (claims: JWTPayload, key = this.#key.privateKey, header: { typ?: string } = {}): Promise<string> =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: this.#key.jwk.kid!, ...header }).sign(key);

  /** The public key, as a secret of HS256 that an attacker could use. */
  get publicModulus(): string {
    return this.#key.jwk.n!;
  }

  #make(): Provider {
    const { redirectUri, logoutUri } = this.#redirects!;
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [redirectUri].flat(),
          response_types: ['code'],
          token_endpoint_auth_method: this.offered[0]!,
          ...(logoutUri === undefined
            ? {}
            : { backchannel_logout_uri: logoutUri, backchannel_logout_session_required: true }),
        },
      ],
      clientAuthMethods: this.offered,
      jwks: { keys: [this.#key.jwk] },
      claims: {
        openid: ['sub', 'sid', 'auth_time', 'acr', 'amr'],
        email: ['email', 'email_verified'],
        extra: ['groups', 'hd'],
      },
      scopes: ['openid', 'email', 'extra'],
      features: {
        devInteractions: { enabled: false },
        backchannelLogout: { enabled: true },
        rpInitiatedLogout: { enabled: true },
      },
      findAccount: (_context, subject) => ({
        accountId: subject,
        claims: () => ({ sub: subject, ...this.accounts.get(subject) }),
      }),
      loadExistingGrant: async (context) => {
        const grant = new context.oidc.provider.Grant({ clientId, accountId: context.oidc.session!.accountId! });
        grant.addOIDCScope('openid email extra');
        await grant.save();
        return grant;
      },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      // It refuses to call addresses of this machine, where the service of a test is.
      fetch: (url, options) => {
        delete options?.dispatcher;
        return fetch(url, options);
      },
      pkce: { required: () => true },
      ttl: { Interaction: 600, Session: 600, Grant: 600, IdToken: 600, AccessToken: 600 },
      cookies: { keys: ['a-key-of-the-cookies'] },
    });
    return provider;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = this.#provider!;
    const { pathname } = new URL(request.url!, this.issuer);
    if (pathname.startsWith('/interaction/')) {
      await provider.interactionFinished(request, response, {
        login: { accountId: this.subject, amr: ['pwd', 'mfa'] },
      });
      return;
    }
    if (pathname === '/token') {
      this.taken = request.headers.authorization === undefined ? 'client_secret_post' : 'client_secret_basic';
      if (this.isRepeating) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(this.#tokens);
        return;
      }
      this.#replaceToken(response);
    }
    await provider.callback()(request, response);
  }

  /** Replaces the ID token in the answer of the token endpoint, where a test wants that. */
  #replaceToken(response: ServerResponse): void {
    const end = response.end.bind(response);
    const replaced = async (body: string): Promise<void> => {
      const answer = JSON.parse(body) as { id_token?: string };
      if (answer.id_token !== undefined && this.forge !== undefined) {
        const claims = JSON.parse(Buffer.from(answer.id_token.split('.')[1]!, 'base64url').toString()) as JWTPayload;
        answer.id_token = await this.forge(claims, this.sign);
      }
      this.#tokens = JSON.stringify(answer);
      response.removeHeader('content-length');
      end(this.#tokens);
    };
    // oidc-provider sends its answer in one piece.
    response.end = ((body: string | Buffer) => {
      void replaced(String(body));
      return response;
    }) as typeof response.end;
  }
}

/** A browser: it keeps cookies for each host, and follows redirects when it is told to. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  cookie(address: string, name: string): string | undefined {
    return this.#cookies.get(new URL(address).host)?.get(name);
  }

  /** Sends one request, and keeps the cookies that it gets. */
  async get(address: string): Promise<Response> {
    return this.send(address, {});
  }

  async send(address: string, options: RequestInit): Promise<Response> {
    const { host } = new URL(address);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = {
      ...(options.headers as Record<string, string>),
      accept: 'text/html,*/*;q=0.8',
      ...(cookie === '' ? {} : { cookie }),
    };
    const response = await fetch(address, { ...options, headers, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const mark = pair.indexOf('=');
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(set)) jar.delete(pair.slice(0, mark));
      else jar.set(pair.slice(0, mark), pair.slice(mark + 1));
    }
    return response;
  }

  /** Follows redirects until `stop` is next. @returns the address that it stopped at */
  async follow(address: string, stop: (next: string) => boolean): Promise<string> {
    let next = address;
    for (let step = 0; step < 20; step += 1) {
      const response = await this.get(next);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${next} answered ${response.status}: ${await response.text()}`);
      next = new URL(location, next).href;
      if (stop(next)) return next;
    }
    throw new Error('too many redirects');
  }
}
