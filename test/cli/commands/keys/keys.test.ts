import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { type Finished, runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { useWorkspace } from '../../support/workspace.ts';

interface Key {
  id: string;
  scope: string;
  secret?: string;
  expiresAt: string | null;
  state?: string;
}

describe('rolecall keys', () => {
  const workspace = useWorkspace();

  const keys = (...args: string[]): Promise<Finished> => runCommand(['keys', ...args, '--data', workspace.dataDir]);
  const keysJson = async <T>(...args: string[]): Promise<T> => {
    const { code, stdout, stderr } = await keys(...args, '--format', 'json');
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as T;
  };
  const answerTo = ({ id, secret = '' }: Key): Promise<Response> => {
    const authorization = `Basic ${Buffer.from(`${id}@api:${secret}`).toString('base64')}`;
    return fetch(`${workspace.url}/api/v2/person`, { headers: { authorization } });
  };
  const statusWith = async (key: Key): Promise<number> => (await answerTo(key)).status;

  it('makes a key that works, and shows its secret this once', async () => {
    const key = await keysJson<Key>('create', '--scope', 'read');
    assert.equal(await statusWith(key), 200);
    const listed = await keys('list', '--format', 'json');
    assert.ok(listed.stdout.includes(key.id));
    assert.ok(!listed.stdout.includes(key.secret ?? ''));
  });

  it('says so where there was no store, and makes one: a folder that was mistyped has another', async () => {
    using folder = temporaryFolder();
    const data = path.join(folder.path, 'data');
    const made = await runCommand(['keys', 'create', '--scope', 'read', '--data', data]);
    assert.equal(made.code, 0);
    assert.match(made.stderr, /^warning: \S+\/data contained no store: a new one is created/m);
    const again = await runCommand(['keys', 'create', '--scope', 'read', '--data', data]);
    assert.deepEqual([again.code, again.stderr], [0, '']);
  });

  it('prints a key as the two variables that hold it', async () => {
    const { code, stdout } = await keys('create', '--scope', 'read');
    assert.equal(code, 0);
    const [, id = '', secret = ''] = /^ROLECALL_KEY_ID=(\S+)\nROLECALL_KEY_SECRET=(\S+)\n/.exec(stdout) ?? [];
    assert.equal(await statusWith({ id, secret, scope: 'read', expiresAt: null }), 200);
    assert.match(stdout, /data sources all, expires at .*only time/s);
  });

  it('lets a key expire after 90 days, after a duration, at a time or never, and says what expires soon', async () => {
    for (const [args, expected] of [
      [[], 90],
      [['--expires', '10d'], 10],
    ] as const) {
      const key = await keysJson<Key>('create', '--scope', 'read', ...args);
      const days = (Date.parse(key.expiresAt ?? '') - Date.now()) / 86_400_000;
      assert.ok(Math.abs(days - expected) < 0.01, String(days));
      const line = (await keys('list')).stdout.split('\n').find((one) => one.startsWith(key.id));
      assert.equal(line?.endsWith('(soon)'), expected === 10);
    }
    assert.equal((await keysJson<Key>('create', '--scope', 'read', '--expires', 'never')).expiresAt, null);
    const atTime = await keysJson<Key>('create', '--scope', 'read', '--expires', '2099-03-31T00:00:00+02:00');
    assert.equal(atTime.expiresAt, '2099-03-30T22:00:00.000Z');
    for (const wrong of ['soon', '0d', '2099-31-31T00:00:00Z', '2001-01-01T00:00:00Z']) {
      const { code, stdout, stderr } = await keys('create', '--scope', 'read', '--expires', wrong);
      assert.deepEqual([code, stdout], [1, ''], wrong);
      assert.match(stderr, /^error: .*\n$/);
    }
  });

  it('shows the name of a key in the list, and of who changed what in the audit trail', async () => {
    const key = await keysJson<Key>('create', '--scope', 'write', '--name', 'ci pipeline');
    assert.match((await keys('list')).stdout, new RegExp(`^${key.id} +ci pipeline +write +all +active `, 'm'));
    const authorization = `Basic ${Buffer.from(`${key.id}@api:${key.secret ?? ''}`).toString('base64')}`;
    const body = new URLSearchParams({ name: 'made by ci' });
    const made = await fetch(`${workspace.url}/api/v2/role`, { method: 'POST', headers: { authorization }, body });
    assert.equal(made.status, 200);
    const { stdout } = await runCommand(['audit', 'list', '--data', workspace.dataDir, '--key', 'ci pipeline']);
    assert.match(stdout, /keys create\n +created api key ci pipeline \(/);
    assert.match(stdout, new RegExp(`key ${key.id} \\(ci pipeline\\) {2}createRole`));
    assert.match((await keys('revoke', key.id)).stdout, /\(ci pipeline\) is revoked/);
    assert.match(
      (await keys('create', '--scope', 'read', '--name', '')).stderr,
      /error: a name has 1 to 100 characters/,
    );
  });

  it('needs a scope that exists', async () => {
    assert.match((await keys('create')).stderr, /--scope/);
    assert.match((await keys('create', '--scope', 'root')).stderr, /Allowed choices are read, write, admin/);
  });

  it('rotates and revokes at once', async () => {
    const key = await keysJson<Key>('create', '--scope', 'read');
    const rotated = await keysJson<Key>('rotate', key.id);
    assert.deepEqual([await statusWith(key), await statusWith(rotated)], [401, 200]);
    await keysJson<Key>('revoke', key.id);
    assert.equal(await statusWith(rotated), 401);
    const states = await keysJson<Key[]>('list');
    assert.equal(states.find(({ id }) => id === key.id)?.state, 'revoked');
    assert.match((await keys('list')).stdout, new RegExp(`^${key.id} +read +all +revoked `, 'm'));
    assert.match((await keys('rotate', key.id)).stderr, /is revoked: make a new one/);
  });

  it('lets a second key take the place of one that is in use, without a gap', async () => {
    const first = await keysJson<Key>('create', '--scope', 'write', '--name', 'ci');
    assert.equal(await statusWith(first), 200);
    const second = await keysJson<Key>('create', '--scope', 'write', '--name', 'ci-2027', '--expires', '90d');
    assert.deepEqual([await statusWith(first), await statusWith(second)], [200, 200]);
    await keysJson<Key>('revoke', first.id);
    const refused = await answerTo(first);
    assert.equal(refused.status, 401);
    assert.match(refused.headers.get('www-authenticate') ?? '', /^Basic /);
    assert.equal(((await refused.json()) as { code: string }).code, 'unauthenticated');
    assert.equal(await statusWith(second), 200);
    const states = new Map((await keysJson<Key[]>('list')).map(({ id, state }) => [id, state]));
    assert.deepEqual([states.get(first.id), states.get(second.id)], ['revoked', 'active']);
  });

  it('says in one line that there is no such key, or no such folder', async () => {
    const unknown = await keys('revoke', 'nothinghere1');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /^error: there is no key nothinghere1.*\n$/);
    const missing = path.join(workspace.dataDir, 'nowhere');
    const { code, stderr } = await runCommand(['keys', 'list', '--data', missing]);
    assert.equal(code, 1);
    assert.match(stderr, /folder .* does not exist/);
    assert.ok(!existsSync(missing));
  });

  it('looks for a store where there is none without making one; create makes it', async () => {
    using folder = temporaryFolder();
    const data = ['--data', folder.path];
    for (const args of [['list'], ['revoke', 'nothinghere1'], ['rotate', 'nothinghere1']]) {
      const { code, stdout, stderr } = await runCommand(['keys', ...args, ...data]);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^error: .* contains no store: correct --data, or create a store with .*\n$/);
      assert.deepEqual(readdirSync(folder.path), []);
    }
    assert.equal((await runCommand(['keys', 'create', '--scope', 'read', ...data])).code, 0);
    assert.equal((await runCommand(['keys', 'list', ...data])).code, 0);
  });
});
