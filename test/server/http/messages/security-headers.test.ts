/** Over the embedded store only: headers come from no store. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { securityHeaders } from '../../../../server/http/messages/security-headers.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { startTestService } from '../../support/service.ts';

const plain = await startTestService();
const behindTls = await startTestService({ publicUrl: 'https://rolecall.example.com' });

describe('every answer', () => {
  const places = [
    '/api/v2/person',
    '/person/v1/me',
    '/person/v1/openapi.json',
    '/healthz',
    '/nowhere',
    '/person/v1/editor/%zz',
  ];

  it('is kept, framed, run and guessed by no browser', async () => {
    for (const place of places) {
      const { headers } = await fetch(`${plain.url}${place}`);
      assert.equal(headers.get('x-content-type-options'), 'nosniff', place);
      assert.equal(headers.get('referrer-policy'), 'no-referrer', place);
      assert.equal(headers.get('cache-control'), 'no-store', place);
      assert.match(
        headers.get('content-security-policy') ?? '',
        /^default-src 'none'; base-uri 'none'; .*frame-ancestors 'none'$/,
      );
      assert.equal(headers.get('strict-transport-security'), null, place);
      assert.equal(headers.get('access-control-allow-origin'), null, place);
    }
  });

  it('has them also where the request could not be read', async () => {
    const long = `GET / HTTP/1.1\r\nHost: localhost\r\nCookie: rolecall=${'x'.repeat(20_000)}\r\n\r\n`;
    for (const [request, status] of [
      ['no HTTP\r\n\r\n', 400],
      [long, 431],
    ] as const) {
      const answer = await sendRaw(plain.url, [request]);
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
      for (const [name, value] of Object.entries(securityHeaders(false))) {
        assert.ok(answer.includes(`\r\n${name}: ${value}\r\n`), `${status}: ${name}`);
      }
      assert.doesNotMatch(answer, /access-control-/i);
    }
  });

  it('asks browsers for https from then on, where they reach the service by https', async () => {
    for (const place of [...places, '/']) {
      const { headers } = await fetch(`${behindTls.url}${place}`);
      assert.equal(headers.get('strict-transport-security'), 'max-age=31536000; includeSubDomains', place);
    }
  });

  it('answers no preflight of another site', async () => {
    for (const method of ['OPTIONS', 'PATCH']) {
      const answer = await fetch(`${plain.url}/person/v1/me`, { method, headers: { origin: 'https://evil.example' } });
      assert.equal(answer.status, 405, method);
      assert.equal(answer.headers.get('access-control-allow-origin'), null);
    }
  });
});
