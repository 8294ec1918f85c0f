import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operationIds, routeTable } from '@rolecall/api';
import { makers } from './support/make.ts';
import { pathOf, populate } from './support/populate.ts';
import { emptySqlite, queryHelpers } from './support/queries.ts';
import { startTestService, temporaryFolder } from './support/service.ts';

const service = await startTestService();
const make = makers(service);
// The audit trail has another entry after each reading of it.
const readable = operationIds.filter((id) => routeTable[id].method === 'GET' && id !== 'listAuditEntries');

describe('HEAD', () => {
  it('answers what GET does, without the body', async () => {
    const ids = await populate(service, make);
    const source = await make.dataSource({ configUri: await emptySqlite(await temporaryFolder()) });
    const { query } = await queryHelpers(service).run(source.id, 'select 1');
    for (const id of readable) {
      const path = pathOf(id, { ...ids, query: query.id, resultIndex: '0' });
      const [got, asked] = [await service.call('GET', path), await service.call('HEAD', path)];
      assert.equal(asked.status, 200, id);
      assert.equal(asked.text, '');
      for (const name of ['content-length', 'content-type', 'etag', 'vary', 'cache-control']) {
        assert.equal(asked.headers.get(name), got.headers.get(name), `${id} ${name}`);
      }
    }
  });

  it('asks for a key as GET does, and of the probes for none', async () => {
    assert.equal((await service.call('HEAD', '/person', { key: null })).status, 401);
    for (const path of ['/healthz', '/readyz', '/openapi.json']) {
      const { status } = await fetch(`${service.url}${path}`, { method: 'HEAD' });
      assert.equal(status, 200, path);
    }
  });
});
