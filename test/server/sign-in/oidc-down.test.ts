import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { after, describe, it } from 'node:test';
import type { SignInError } from '@rolecall/api';
import { parseOidc } from '../../../server/sign-in/oidc/settings.ts';
import { startIssuer } from '../../support/issuer.ts';
import { startTestService } from '../support/service.ts';

/** A process of its own: it moves the clock by which the answers of providers age. */
const realNow = performance.now.bind(performance);
let skipped = 0;
performance.now = () => realNow() + skipped;
const skip = (ms: number): void => {
  skipped += ms;
};

const logged: string[] = [];
const stream = new Writable({
  write: (chunk, _encoding, done) => {
    logged.push(String(chunk));
    done();
  },
});
const company = await startIssuer('rolecall');
after(() => company[Symbol.asyncDispose]());
const oidc = parseOidc({ issuers: [{ id: 'company', name: 'company', issuer: company.url, clientId: 'rolecall' }] });
const service = await startTestService({ logger: { level: 'warn', stream }, oidc });

async function begin(): Promise<string> {
  const answer = await fetch(`${service.url}/person/v1/sign-in/oidc/company`, { redirect: 'manual' });
  return answer.headers.get('location') ?? '';
}

/** The browser is led to the page, which says that the provider does not work; the log says why. */
async function refused(why: RegExp, error: SignInError = 'provider_unavailable'): Promise<void> {
  assert.equal(await begin(), `${service.url}/sign-in?error=${error}`);
  const { msg, reason } = JSON.parse(logged.at(-1) ?? '{}') as { msg?: string; reason?: string };
  assert.match(`${msg} ${reason}`, why);
}

const keysOf = (count: number) => ({ keys: Array.from({ length: count }, (_, at) => ({ kty: 'RSA', kid: `${at}` })) });
const metadata = { issuer: company.url, jwks_uri: `${company.url}/jwks`, authorization_endpoint: `${company.url}/a` };

describe('a sign-in with a provider', () => {
  /** What it answers, in place of its metadata and its keys. */
  const answers: Record<string, { metadata?: string; keys?: string; error?: SignInError; why: RegExp }> = {
    'endless metadata': { metadata: 'endless', why: /larger than 262144 bytes/ },
    'endless keys': { keys: 'endless', why: /larger than 262144 bytes/ },
    'thousands of keys': { keys: JSON.stringify(keysOf(5000)), why: /keys must be at most 100/ },
    'metadata without its address': { metadata: JSON.stringify({ issuer: company.url }), why: /jwks_uri is required/ },
    'metadata nested 100,000 deep': { metadata: `{"x":${'['.repeat(1e5)}${']'.repeat(1e5)}}`, why: /is required/ },
    'no address for the sign-in': {
      metadata: JSON.stringify({ ...metadata, authorization_endpoint: undefined }),
      error: 'provider_failed',
      why: /authorization_endpoint/,
    },
  };
  for (const [what, { metadata: given, keys, error, why }] of Object.entries(answers)) {
    it(`that answers ${what} leads back to the page`, async () => {
      skip(11_000);
      company.answer = (response, path) => {
        const text = path.endsWith('jwks') ? (keys ?? JSON.stringify(keysOf(1))) : (given ?? JSON.stringify(metadata));
        if (text !== 'endless') {
          response.end(text);
          return;
        }
        const more = (): void => {
          while (response.write(' '.repeat(64 * 1024)) && !response.destroyed);
        };
        response.on('drain', more);
        more();
      };
      await refused(why, error);
    });
  }

  it('that has the largest number of keys works', async () => {
    skip(11_000);
    company.answer = (response, path) => response.end(JSON.stringify(path.endsWith('jwks') ? keysOf(100) : metadata));
    assert.match(await begin(), /client_id=/);
  });

  it('asks it once for all who come within ten seconds', async () => {
    skip(11_000);
    let asked = 0;
    company.answer = (response, path) => {
      asked += 1;
      setTimeout(() => response.end(JSON.stringify(path.endsWith('jwks') ? keysOf(1) : metadata)), 50);
    };
    const places = await Promise.all(Array.from({ length: 20 }, () => begin()));
    for (const place of [...places, await begin()]) assert.match(place, /client_id=/);
    assert.equal(asked, 2);
  });

  it('that went down is refused ten seconds after it answered last, and works again ten seconds later', async () => {
    skip(11_000);
    let isDown = false;
    company.answer = (response, path) => {
      if (isDown) response.writeHead(503).end();
      else response.end(JSON.stringify(path.endsWith('jwks') ? keysOf(1) : metadata));
    };
    assert.match(await begin(), /client_id=/);
    isDown = true;
    skip(11_000);
    await refused(/it answered 503/);
    isDown = false;
    skip(11_000);
    assert.match(await begin(), /client_id=/);
  });
});
