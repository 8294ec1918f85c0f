/**
 * An OpenID provider that signs its tokens before it needs them, so that the exchange of a code costs it next to
 * nothing: the benchmark measures the service.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

const [email = ''] = process.argv.slice(2);
const { privateKey, publicKey } = await generateKeyPair('RS256');
const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS256', use: 'sig' }] };
const tokens = new Map<string, string>();
let people = 0;

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', issuer());
  const answer = (body: unknown): void => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (url.pathname === '/.well-known/openid-configuration') answer(metadata());
  else if (url.pathname === '/jwks') answer(jwks);
  else if (url.pathname === '/token') {
    void text(request).then((body) => {
      const code = new URLSearchParams(body).get('code') ?? '';
      answer({ access_token: code, token_type: 'Bearer', expires_in: 60, id_token: tokens.get(code) });
    });
  } else {
    void authorize(url.searchParams).then((location) => response.writeHead(303, { location }).end());
  }
});
server.listen(0, '127.0.0.1', () => process.send?.(issuer()));
process.on('SIGTERM', () => process.exit(0));

function issuer(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function metadata(): object {
  return {
    issuer: issuer(),
    authorization_endpoint: `${issuer()}/authorize`,
    token_endpoint: `${issuer()}/token`,
    jwks_uri: `${issuer()}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
}

/** Signs in the next person, and signs the token. @returns where their browser goes */
async function authorize(query: URLSearchParams): Promise<string> {
  const code = randomUUID();
  const person = email.replace('[n]', String(people++ % 100));
  const claims = { nonce: query.get('nonce'), email: person, email_verified: true };
  const token = new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'bench' })
    .setIssuer(issuer())
    .setAudience(query.get('client_id') ?? '')
    .setSubject(person)
    .setIssuedAt()
    .setExpirationTime('10m');
  tokens.set(code, await token.sign(privateKey));
  const back = new URL(query.get('redirect_uri') ?? '');
  back.searchParams.set('code', code);
  back.searchParams.set('state', query.get('state') ?? '');
  return back.href;
}
