import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openApiDocument, personOpenApiDocument } from '@rolecall/api/openapi';
import { startTestService } from './support/service.ts';

const service = await startTestService();

describe('what needs no key', () => {
  it('is whether the process lives, whether it is ready, and the description of the API', async () => {
    for (const [path, body] of [
      ['/healthz', { status: 'ok' }],
      ['/readyz', { status: 'ready' }],
      ['/openapi.json', openApiDocument()],
      ['/person/v1/openapi.json', personOpenApiDocument()],
    ] as const) {
      const answer = await fetch(`${service.url}${path}`);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'application/json');
      assert.deepEqual(await answer.json(), JSON.parse(JSON.stringify(body)));
    }
  });

  it('takes GET and HEAD only', async () => {
    const answer = await fetch(`${service.url}/healthz`, { method: 'POST' });
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.get('allow'), 'GET, HEAD');
  });
});

describe('every answer', () => {
  it('has an identifier of its own', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await service.call('GET', '/person')).headers.get('x-request-id')),
    );
    assert.equal(new Set(ids).size, 20);
  });
});
