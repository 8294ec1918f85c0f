/** Over the embedded store only: it is about files in its folder. */
import assert from 'node:assert/strict';
import { rmSync, symlinkSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSourceDetail } from '@rolecall/api';
import { type Peer, startPeer } from '../../../support/peers.ts';
import { makers } from '../../support/make.ts';
import { assertProblem } from '../../support/match.ts';
import { emptySqlite, errorOf, queryHelpers } from '../../support/queries.ts';
import { startTestService, temporaryFolder } from '../../support/service.ts';

/** Data sources as they were before their network was denied: made by a service that denies less, on the same data. */
describe('a data source in a network that is denied', () => {
  it('is refused when it is made or changed, naming the field', async () => {
    const service = await startTestService({ deniedNetworks: ['127.0.0.3'] });
    const source = await makers(service).dataSource();
    const denied = ['postgresql://u@127.0.0.3/x', 'mysql://u@0x7f000003/x', 'mariadb://u@[::ffff:127.0.0.3]/x'];
    for (const uri of [...denied, 'postgresql://u@169.254.169.254/x', `sqlite://${service.dataDir}/rolecall.db`]) {
      for (const where of ['/data-source', `/data-source/${source.id}`]) {
        const problem = assertProblem(
          await service.call('POST', where, { json: { name: 'x', configUri: uri } }),
          422,
          'invalid_fields',
        );
        assert.match(JSON.stringify(problem), /"path":"configUri","message":"(has the host|names a file)/);
      }
    }
    const after = await service.ok<DataSourceDetail>('GET', `/data-source/${source.id}/detail`);
    assert.deepEqual(after, source);
    assert.equal((await service.ok<unknown[]>('GET', '/data-source')).length, 1);
  });

  it('that was made before is neither tested nor used, and can still be renamed and deleted', async (test) => {
    let connections = 0;
    const peer: Peer = await startPeer(() => {
      connections += 1;
    });
    test.after(() => peer.close());
    const dataDir = await temporaryFolder();
    const uri = `postgresql://ada:secret@127.0.0.1:${peer.port}/x`;
    const before = await startTestService({ dataDir });
    const source = await makers(before).dataSource({ configUri: uri });
    await before.close();

    const service = await startTestService({ dataDir, deniedNetworks: ['127.0.0.0/8', '::1'] });
    const outcome = await service.ok('POST', `/data-source/${source.id}/test`);
    const reason = /^the host 127\.0\.0\.1 is 127\.0\.0\.1, which is in 127\.0\.0\.0\/8: .*--allow-network/;
    assert.match(String(outcome['message']), reason);
    const { query, results } = await queryHelpers(service).run(source.id, 'select 1');
    assert.equal(query.success, false);
    assert.match(errorOf(results[0]), reason);
    await sleep(50);
    assert.equal(connections, 0);
    await service.ok('POST', `/data-source/${source.id}`, { json: { name: 'renamed' } });
    await service.ok('DELETE', `/data-source/${source.id}`);
  });

  it('that names localhost is refused where loopback is denied as a whole', async () => {
    const json = { name: 'x', configUri: 'postgresql://u@localhost/x' };
    const strict = await startTestService({ deniedNetworks: ['127.0.0.0/8', '::1'] });
    assertProblem(await strict.call('POST', '/data-source', { json }), 422, 'invalid_fields');
    const lax = await startTestService({ deniedNetworks: ['127.0.0.0/8'] });
    await lax.ok('POST', '/data-source', { json });
  });

  it('may be one that a smaller network allows', async () => {
    const service = await startTestService({ deniedNetworks: ['127.0.0.0/8'], allowedNetworks: ['127.0.0.4/30'] });
    const make = (host: string) =>
      service.call('POST', '/data-source', { json: { name: 'x', configUri: `mysql://u@${host}/x` } });
    assert.deepEqual([(await make('127.0.0.5')).status, (await make('127.0.0.8')).status], [200, 422]);
  });
});

describe('a service whose operator has said nothing', () => {
  it('refuses loopback and every SQLite file, in words that do not tell which are there', async () => {
    const service = await startTestService({ allowedNetworks: [], sqliteFolders: [] });
    const refused = async (configUri: string): Promise<string> => {
      const answer = await service.call('POST', '/data-source', { json: { name: 'x', configUri } });
      assertProblem(answer, 422, 'invalid_fields');
      return (answer.body as { detail: string }).detail;
    };
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]']) {
      assert.match(await refused(`postgresql://u@${host}/x`), /--allow-network/);
    }
    const [there, missing] = [await emptySqlite(await temporaryFolder()), 'sqlite:///nothing/here.db'];
    const long = `sqlite:///tmp/${'x'.repeat(300)}`;
    assert.equal(new Set([await refused(there), await refused(missing), await refused(long)]).size, 1);
  });
});

describe('a SQLite data source', () => {
  it("cannot read the service's store by a link that is made later", async () => {
    const service = await startTestService();
    const configUri = await emptySqlite(await temporaryFolder());
    const source = await makers(service).dataSource({ configUri });
    const file = configUri.replace('sqlite://', '');
    rmSync(file);
    symlinkSync(`${service.dataDir}/rolecall.db`, file);
    const outcome = await service.ok('POST', `/data-source/${source.id}/test`);
    assert.match(String(outcome['message']), /own data folder/);
    const { results } = await queryHelpers(service).run(source.id, 'select * from api_key');
    assert.match(errorOf(results[0]), /own data folder/);
  });

  it('has to be in a folder that the operator gives, where there is one', async () => {
    const folder = await temporaryFolder();
    const service = await startTestService({ sqliteFolders: [folder] });
    await makers(service).dataSource({ configUri: await emptySqlite(folder) });
    const json = { name: 'x', configUri: await emptySqlite(await temporaryFolder()) };
    assertProblem(await service.call('POST', '/data-source', { json }), 422, 'invalid_fields');
  });
});
