import assert from 'node:assert/strict';
import { chmodSync, linkSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { type ConnectionUri, parseConnectionUri } from '@rolecall/api';
import { createGuard } from '../../../../server/databases/guard/index.ts';
import { temporaryFolder } from '../../support/service.ts';

const root = await temporaryFolder();
const own = path.join(root, 'data');
for (const folder of ['data/spool', 'reports/2026', 'elsewhere'])
  mkdirSync(path.join(root, folder), { recursive: true });
for (const file of ['data/rolecall.db', 'data/store.key', 'reports/a.db', 'elsewhere/b.db']) {
  writeFileSync(path.join(root, file), '');
}
symlinkSync(path.join(own, 'rolecall.db'), path.join(root, 'reports/link.db'));
symlinkSync('link.db', path.join(root, 'reports/link-to-link.db'));
symlinkSync(own, path.join(root, 'reports/folder'));
symlinkSync('../elsewhere', path.join(root, 'reports/out'));
linkSync(path.join(own, 'rolecall.db'), path.join(root, 'reports/hard.db'));
symlinkSync('data', path.join(root, 'alias-of-data'));

/** The folder is named as an operator may name it: by a link. */
const guard = createGuard({ files: { ownFolder: path.join(root, 'alias-of-data'), folders: [root] } });

describe('the files of SQLite data sources', () => {
  const uriOf = (file: string): ConnectionUri => ({
    type: 'sqlite',
    database: path.isAbsolute(file) ? file : `${root}/${file}`,
    parameters: {},
  });
  const { signal } = new AbortController();

  const denied = [
    ...['data/rolecall.db', 'data/store.key', 'data/spool/x/0.rows', 'data/not-there-yet.db', 'data/not/there/yet.db'],
    ...[
      'reports/../data/rolecall.db',
      'reports/2026/../../data/rolecall.db',
      'data//rolecall.db',
      './data/./rolecall.db',
    ],
    ...['reports/link.db', 'reports/link-to-link.db', 'reports/folder/rolecall.db', 'reports/folder/new.db'],
    ...['reports/hard.db', 'alias-of-data/rolecall.db'],
  ];
  for (const file of denied) {
    it(`are not in the service's own folder: ${file}`, async () => {
      assert.match((await guard.refusal(uriOf(file))) ?? '', /own data folder/);
      await assert.rejects(guard.admit(uriOf(file), signal), { code: 'ERR_DENIED', message: /own data folder/ });
    });
  }

  it('are not in it by way of /proc', { skip: process.platform !== 'linux' }, async () => {
    for (const start of [`/proc/${process.pid}/root`, '/proc/self/root']) {
      await assert.rejects(guard.admit(uriOf(`${start}${own}/rolecall.db`), signal), { code: 'ERR_DENIED' });
    }
  });

  it('are not in it in any spelling that a URI allows', async () => {
    for (const uri of [
      `sqlite://${root}/x/../data/rolecall.db`,
      `sqlite://${root}/%64ata/rolecall.db`,
      `sqlite://${own}/%2e/rolecall.db`,
    ]) {
      assert.match((await guard.refusal(parseConnectionUri(uri))) ?? '', /own data folder/, uri);
    }
    for (const uri of [`sqlite://${root}/x%2f..%2fdata/rolecall.db`, `sqlite://${own}/rolecall.db%00.x`]) {
      assert.throws(() => parseConnectionUri(uri), { code: 'ERR_CONNECTION_URI' });
    }
    assert.throws(() => parseConnectionUri(`sqlite:///x.db?vfs=unix-none`), /do not support/);
  });

  it('are nowhere unless the operator gives a folder', async () => {
    const none = createGuard({ files: { ownFolder: own } });
    assert.match((await none.refusal(uriOf('reports/a.db'))) ?? '', /--sqlite-folder/);
    await assert.rejects(none.admit(uriOf('reports/a.db'), signal), { code: 'ERR_DENIED' });
  });

  it('outside are refused in the same words, whatever is there', async () => {
    mkdirSync(path.join(root, 'closed'));
    writeFileSync(path.join(root, 'closed/c.db'), '');
    chmodSync(path.join(root, 'closed'), 0);
    chmodSync(root, 0o755);
    // No folder is closed to root.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.('nobody');
    try {
      assert.throws(() => statSync(path.join(root, 'closed/c.db')), { code: 'EACCES' });
      assert.equal((await refusalsOf('closed/c.db', 'closed/none.db', 'elsewhere/b.db')).size, 1);
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(path.join(root, 'closed'), 0o700);
    }
  });

  it('outside are refused in the same words, also where the path cannot be followed', async () => {
    symlinkSync('circle', path.join(root, 'reports/circle'));
    const refusals = await refusalsOf(
      ...['elsewhere/b.db', 'elsewhere/none.db', 'elsewhere/none/none.db', 'data/rolecall.db', 'data/none.db'],
      ...[`elsewhere/${'x'.repeat(300)}`, 'elsewhere/b.db/x', 'reports/circle', 'reports/circle/x.db'],
    );
    assert.equal(refusals.size, 1, [...refusals].join('\n'));
  });

  async function refusalsOf(...files: string[]): Promise<Set<string | undefined>> {
    const narrow = createGuard({ files: { ownFolder: own, folders: [path.join(root, 'reports')] } });
    const refusals = new Set<string | undefined>();
    for (const file of files) {
      const refusal = await narrow.refusal(uriOf(file));
      await assert.rejects(narrow.admit(uriOf(file), signal), {
        message: refusal?.replace('names a file that', 'the file'),
      });
      refusals.add(refusal);
    }
    return refusals;
  }

  it('may be anywhere else in the folders, and are opened by the path that was checked', async () => {
    for (const file of ['reports/a.db', 'reports/new.db', 'database/a.db', 'data.db']) {
      assert.equal(await guard.refusal(uriOf(file)), undefined);
    }
    assert.equal((await guard.admit(uriOf('reports/out/b.db'), signal)).database, path.join(root, 'elsewhere/b.db'));
  });

  it('are in the folders that the operator gives, where there are some', async () => {
    const files = { ownFolder: own, folders: [path.join(root, 'reports')] };
    const narrow = createGuard({ files });
    for (const file of ['reports/a.db', 'reports/2026/new.db', 'reports/x/../a.db']) {
      assert.equal(await narrow.refusal(uriOf(file)), undefined, file);
    }
    for (const file of [
      'elsewhere/b.db',
      'reports/out/b.db',
      'reports/../elsewhere/b.db',
      'reportsx/a.db',
      '/etc/x.db',
    ]) {
      assert.match((await narrow.refusal(uriOf(file))) ?? '', /--sqlite-folder/, file);
      await assert.rejects(narrow.admit(uriOf(file), signal), { code: 'ERR_DENIED' }, file);
    }
    assert.match((await narrow.refusal(uriOf('reports/folder/rolecall.db'))) ?? '', /--sqlite-folder/);
    const around = createGuard({ files: { ownFolder: own, folders: [root] } });
    assert.match((await around.refusal(uriOf('data/rolecall.db'))) ?? '', /own data folder/);
  });
});
