import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { negotiate } from '../../server/http/messages/parse-request.ts';
import { assertProblem } from './support/match.ts';
import { startTestService } from './support/service.ts';

const service = await startTestService();
const vendor = 'application/vnd.service.v2+json';
const json = 'application/json';

describe('negotiation', () => {
  for (const [accept, type] of [
    [undefined, json],
    ['', json],
    ['*/*', json],
    ['application/*', json],
    [json, json],
    [vendor, vendor],
    ['Application/VND.service.v2+JSON', vendor],
    [`${vendor}; charset=utf-8`, vendor],
    [`${vendor}, */*`, vendor],
    [`text/html, ${json};q=0.9, */*;q=0.8`, json],
    [`${json}, ${vendor}`, vendor],
    [`${json};q=0.5, ${vendor};q=0.4`, json],
    [`${json};q=0, */*`, vendor],
    [`${vendor};q=0, application/*`, json],
    ['text/html, */*;q=0.1', json],
    ['text/html', undefined],
    ['application/xml', undefined],
    ['application/problem+json', undefined],
    ['application/vnd.service.v1+json', undefined],
    ['*/*;q=0', undefined],
    [`${json};q=2`, undefined],
    ['nonsense', undefined],
  ] as const) {
    it(`of Accept: ${accept ?? '(absent)'} gives ${type ?? '406'}`, () => {
      assert.equal(negotiate(accept), type);
    });
  }

  it('decides the Content-Type of the answer', async () => {
    for (const type of [vendor, json]) {
      const answer = await service.call('GET', '/person', { headers: { accept: type } });
      assert.equal(answer.headers.get('content-type'), type);
    }
    const refused = await service.call('GET', '/person', { headers: { accept: 'text/html' } });
    assertProblem(refused, 406, 'not_acceptable');
  });

  it('fails before anything is written', async () => {
    const form = { name: 'Ada', username: 'ada', email: 'ada@example.com' };
    const refused = await service.call('POST', '/person', { form, headers: { accept: 'text/html' } });
    assertProblem(refused, 406, 'not_acceptable');
    assert.deepEqual(await service.ok('GET', '/person'), []);
  });
});
