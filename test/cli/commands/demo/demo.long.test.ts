import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { runProcess, startCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('rolecall demo', () => {
  it('needs no home', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'file');
    writeFileSync(file, '');
    // Not set, empty, and one in which nothing can be made.
    for (const HOME of [undefined, '', path.join(file, 'home')]) {
      const { code, stderr } = await runProcess(['demo'], { env: { HOME, XDG_CACHE_HOME: '' }, cwd: folder.path });
      assert.deepEqual([code, stderr], [0, ''], HOME ?? 'not set');
      assert.deepEqual(readdirSync(folder.path), ['file']);
    }
  });

  it('runs from any folder', async () => {
    using folder = temporaryFolder();
    const elsewhere = path.join(folder.path, 'elsewhere');
    mkdirSync(elsewhere);
    const { code, stderr } = await runProcess(['demo'], { cwd: elsewhere });
    assert.equal(code, 0, stderr);
    assert.deepEqual(readdirSync(elsewhere), []);
  });

  it('signs one browser in to the page, once, with data to query, and leaves nothing behind', async () => {
    using folder = temporaryFolder();
    const { child, prints, finished } = startCommand(['demo', '--open'], { env: { TMPDIR: folder.path } });
    const link =
      /http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}/.exec(await prints(/http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\n/))?.[0] ?? '';
    // Previews of links ask for the head alone.
    assert.equal((await fetch(link, { method: 'HEAD' })).status, 404);
    assert.equal((await fetch(`${link}x`)).status, 404);
    const opened = await fetch(link, { redirect: 'manual' });
    assert.equal(opened.status, 303);
    const cookie = opened.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    assert.equal((await fetch(link, { redirect: 'manual' })).status, 404);
    const answer = await fetch(new URL('/person/v1/access', opened.headers.get('location') ?? ''), {
      headers: { cookie },
    });
    const { dataSources } = (await answer.json()) as {
      dataSources: { dataSource: { alias: string }; allowed: boolean }[];
    };
    assert.equal(dataSources.find(({ dataSource }) => dataSource.alias === 'demo-shop')?.allowed, true);
    child.kill('SIGINT');
    const { code, stderr } = await finished;
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(readdirSync(folder.path), []);
  });
});
