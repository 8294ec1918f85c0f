/** Over the embedded store only: the command line knows no store. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storeGatewaySessions } from '../../../server/support/gateway-session.ts';
import { makers } from '../../../server/support/make.ts';
import { startTestService } from '../../../server/support/service.ts';
import { runCommand } from '../../support/run-command.ts';

const service = await startTestService();
const make = makers(service);
const { id, secret } = service.keys.admin;
const env = { ROLECALL_URL: service.url, ROLECALL_KEY_ID: id, ROLECALL_KEY_SECRET: secret };
const run = (...args: string[]) => runCommand(['sessions', ...args, '--gateway'], { env });

describe('rolecall sessions --gateway', () => {
  it('lists who is connected, all pages of it, and ends one connection or all of a person', async () => {
    assert.match((await run('list')).stdout, /No one is connected through the gateway\./);
    const [ada, ben, source] = [await make.person(), await make.person(), await make.dataSource()];
    const dataSource = source.id;
    await storeGatewaySessions(service, { person: ada.id, dataSource, count: 101 });
    const [one] = await storeGatewaySessions(service, { person: ben.id, dataSource });
    const table = await run('list', '--person', ben.username);
    assert.match(table.stdout, new RegExp(`${one} +${ben.username} +${source.alias}.*no end.*192\\.0\\.2\\.7 +psql`));
    const all = await run('list', '--format', 'json');
    assert.equal((JSON.parse(all.stdout) as unknown[]).length, 102);
    assert.match((await run('end', one)).stdout, /1 session ended: their clients are told within a second/);
    const again = await run('end', one);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /no session of the gateway/);
    assert.match((await run('end', '--person', ada.username)).stdout, /101 sessions ended/);
    assert.match((await run('list')).stdout, /No one is connected/);
  });
});
