import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createKey, type NewKey } from '@rolecall/server';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { emptySqlite, queryHelpers } from '../support/queries.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';

const endless = 'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c';

const service = await startTestService({ queryConcurrency: 4 });
const source = (await makers(service).dataSource({ configUri: await emptySqlite(await temporaryFolder()) })).id;
const other = await createKey({ ...service.store, scope: 'admin' });

describe('what one API key may have of the queries', () => {
  const execute = (commands: string[], key: NewKey = service.keys.admin) =>
    service.call('POST', `/data-source/${source}/execute`, { json: { commands }, key });
  const idOf = ({ body }: { body: unknown }): string => (body as { queryId: string }).queryId;

  it('is half of the turns: what it has waiting keeps no other key from its turn', async () => {
    const { started, completed, get } = queryHelpers(service);
    const own = await Promise.all(Array.from({ length: 5 }, async () => idOf(await execute([endless]))));
    const running = await Promise.any(own.map(started));
    const query = await completed(idOf(await execute(['select 1'], other)));
    assert.equal(query.success, true);
    const startedNow = (await Promise.all(own.map(get))).filter(({ startedAt }) => startedAt !== null);
    assert.equal(startedNow.length, 2);
    // A turn that ends goes to the next that waits.
    await service.ok('POST', `/query/${running.id}/cancel`);
    const left = own.filter((id) => !startedNow.some((one) => one.id === id));
    await Promise.any(left.map(started));
    for (const id of own) await service.ok('DELETE', `/query/${id}`);
  });

  it('is half of the memory for commands, and half of the places', async () => {
    // 8 MB of memory each, in a body that the service takes: eight of them are half.
    const large = Array.from({ length: 4 }, () => `select 1 -- ${'x'.repeat(999_900)}`);
    const ids: string[] = [];
    for (let count = 0; count < 8; count += 1) ids.push(idOf(await execute([endless, ...large])));
    const refused = await execute([endless, ...large]);
    assertProblem(refused, 429, 'too_many_requests');
    assert.equal(refused.headers.get('retry-after'), '1');
    for (let count = 0; count < 8; count += 1) ids.push(idOf(await execute([endless, ...large], other)));
    const third = await createKey({ ...service.store, scope: 'admin' });
    assertProblem(await execute([endless, ...large], third), 503, 'unavailable');
    for (const id of ids) await service.ok('DELETE', `/query/${id}`);
    const small = await Promise.all(Array.from({ length: 140 }, () => execute([endless])));
    assert.deepEqual(
      small.filter(({ status }) => status !== 200 && status !== 429).map(({ body }) => body),
      [],
    );
    assert.deepEqual([...new Set(small.map(({ status }) => status))].toSorted(), [200, 429]);
    assert.equal(small.filter(({ status }) => status === 200).length, 130);
    const free = await execute(['select 1'], other);
    assert.equal(free.status, 200);
  });
});
