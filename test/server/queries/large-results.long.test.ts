import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { startPostgres } from '../../support/databases/postgres.ts';
import { makers } from '../support/make.ts';
import { emptySqlite, errorOf, queryHelpers } from '../support/queries.ts';
import { startTestService } from '../support/service.ts';
import { temporaryFolder } from '../support/stores.ts';

const service = await startTestService();
const make = makers(service);
const queries = queryHelpers(service);

describe('large results', () => {
  it('of a million rows cost no memory for them', requires('postgresql'), async (test) => {
    const server = await startPostgres();
    test.after(() => server.stop());
    const source = await make.dataSource({ configUri: server.uri });
    await queries.run(source.id, 'select i from generate_series(1, 1000) i');
    let most = 0;
    const start = process.memoryUsage.rss();
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss() - start);
    }, 20);
    const { query } = await queries.run(source.id, "select i, repeat('x', 200) from generate_series(1, 1000000) i");
    clearInterval(timer);
    assert.equal(query.success, true);
    const [row] = await queries.rows(query.id, 0, '?seek=999999');
    assert.equal(row?.[0], '1000000');
    // The rows are 220 MB of JSON. How little it takes is for the benchmark to say: a busy machine collects garbage late.
    assert.ok(most < 128 * 1024 * 1024, `grew by ${Math.round(most / 1024 / 1024)} MiB`);
    await service.ok('DELETE', `/query/${query.id}`);
  });

  it('fail when the columns of their results would take too much memory', async () => {
    const shop = await make.dataSource({ configUri: await emptySqlite(await temporaryFolder()) });
    const columns = Array.from({ length: 1900 }, (_, index) => `c${index} int`).join(', ');
    const commands = Array.from({ length: 200 }, () => 'select * from wide');
    const { query, results } = await queries.run(shop.id, `create table wide (${columns})`, ...commands);
    assert.equal(query.success, false);
    assert.match(errorOf(results.at(-1)), /too many columns in all/);
  });
});
