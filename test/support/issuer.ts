import { createServer, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { listenOn } from './relay.ts';

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;

/** A small OpenID provider as the platforms of pipelines have one: discovery, keys that can be changed, signed tokens. */
export interface TestIssuer extends AsyncDisposable {
  readonly url: string;
  /** How often its keys were fetched. */
  readonly fetched: () => number;
  /** Takes another key for what it signs from then on, and no longer shows the ones before. */
  readonly rotate: (alg?: string) => Promise<void>;
  /** @param claims besides iss, aud, sub, iat, nbf and exp, or in their place */
  readonly sign: (claims?: JWTPayload, with_?: { pair?: Pair; alg?: string; kid?: string }) => Promise<string>;
  /** Answers in place of the documents. */
  answer: ((response: ServerResponse, path: string) => void) | undefined;
}

/** Starts an issuer on this machine. @param now in milliseconds */
export async function startIssuer(audience: string, now: () => number = Date.now): Promise<TestIssuer> {
  let [pair, alg, kid, fetched, count] = [await generateKeyPair('RS256'), 'RS256', 'key-0', 0, 0];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path.endsWith('jwks')) fetched += 1;
    if (issuer.answer !== undefined) {
      issuer.answer(response, path);
      return;
    }
    void documentOf(path).then((document) => response.end(JSON.stringify(document)));
  });
  const port = await listenOn(server);
  const url = `http://127.0.0.1:${port}`;

  async function documentOf(path: string): Promise<unknown> {
    if (!path.endsWith('jwks')) return { issuer: url, jwks_uri: `${url}/jwks` };
    return { keys: [{ ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' }] };
  }

  const issuer: TestIssuer = {
    url,
    answer: undefined,
    fetched: () => fetched,
    rotate: async (next = alg) => {
      count += 1;
      [pair, alg, kid] = [await generateKeyPair(next), next, `key-${count}`];
    },
    sign: async (claims = {}, given = {}) => {
      const seconds = Math.floor(now() / 1000);
      const times = { iat: seconds, nbf: seconds, exp: seconds + 300 };
      count += 1;
      return new SignJWT({ iss: url, aud: audience, sub: 'repo:acme/access', jti: String(count), ...times, ...claims })
        .setProtectedHeader({ alg: given.alg ?? alg, kid: given.kid ?? kid })
        .sign((given.pair ?? pair).privateKey);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return issuer;
}
