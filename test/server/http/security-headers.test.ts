/** Over the embedded store only: headers come from no store. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestService } from '../support/service.ts';

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
