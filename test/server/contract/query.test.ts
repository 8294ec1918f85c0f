import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertFields, assertProblem } from '../support/match.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const query = '/query/0b9e7f3a-52c4-4f8d-a1b6-8d2f4c6e1007';

describe('queries', () => {
  it('that do not exist are not found by any operation', async () => {
    for (const [method, path, call] of [
      ['POST', '/data-source/any/execute', { json: { commands: ['select 1'] } }],
      ['GET', query, {}],
      ['POST', `${query}/cancel`, {}],
      ['DELETE', query, {}],
      ['GET', `${query}/result/0`, {}],
      ['GET', `${query}/result/0/rows?seek=500&limit=10000`, {}],
    ] as const) {
      assertProblem(await service.call(method, path, call), 404, 'not_found');
    }
  });

  it('are checked before they begin: who asks, what for, and how', async () => {
    const execute = '/data-source/any/execute';
    const json = { commands: ['select 1'] };
    assertProblem(await service.call('POST', execute, { json, key: null }), 401, 'unauthenticated');
    assertProblem(await service.call('POST', execute, { json, key: service.keys.write }), 403, 'insufficient_scope');
    assertFields(await service.call('POST', execute, { json: {} }), 422, 'invalid_fields', ['commands']);
    assertFields(await service.call('POST', execute, { json: { commands: ['', 1] } }), 422, 'invalid_fields', [
      'commands.0',
      'commands.1',
    ]);
    assertProblem(await service.call('POST', execute, { form: { commands: 'x' } }), 415, 'unsupported_media_type');
    assertFields(await service.call('GET', '/query/1'), 400, 'malformed_parameter', ['query']);
    for (const [search, path] of [
      ['seek=-1', 'seek'],
      ['limit=0', 'limit'],
      ['limit=10001', 'limit'],
      ['offset=1', 'offset'],
    ] as const) {
      const answer = await service.call('GET', `${query}/result/0/rows?${search}`);
      assertFields(answer, 400, 'malformed_parameter', [path]);
    }
    const twice = await service.call('GET', `${query}/result/0/rows?seek=1&seek=2`);
    assertFields(twice, 400, 'malformed_parameter', ['seek']);
    assert.match(twice.text, /twice/);
  });
});
