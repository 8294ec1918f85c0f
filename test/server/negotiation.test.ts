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

  it('gives a person in a browser words where no operation answers, and other clients a problem', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const visit = (path: string) => service.call('GET', path, { key: null, headers: { accept } });
    for (const [path, status, words] of [
      ['/nonsense', 404, /There is nothing at this address/],
      ['/nonsense/%E0%A4%A', 400, /There is nothing at this address/],
      ['/api/v2/token-exchange', 405, /this path takes POST, not GET/],
      ['/person/v1/sign-in/oidc/none', 404, /There is nothing at this address/],
    ] as const) {
      const [page, problem] = [await visit(path), await service.call('GET', path, { key: null })];
      assert.deepEqual([page.status, problem.status], [status, status], path);
      assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(page.text, words);
      assert.doesNotMatch(page.text, /[{}]/);
      assert.equal(problem.headers.get('content-type'), 'application/problem+json');
    }
    assertProblem(await visit('/api/v2/person'), 401, 'unauthenticated');
  });

  it('fails before anything is written', async () => {
    const form = { name: 'Ada', username: 'ada', email: 'ada@example.com' };
    const refused = await service.call('POST', '/person', { form, headers: { accept: 'text/html' } });
    assertProblem(refused, 406, 'not_acceptable');
    assert.deepEqual(await service.ok('GET', '/person'), []);
  });
});
