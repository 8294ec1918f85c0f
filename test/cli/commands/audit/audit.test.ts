import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { type Finished, runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { plantedPassword, team, useWorkspace } from '../../support/workspace.ts';

interface Entry {
  seq: number;
  at: string;
  actor: { type: string; id: string };
  operation: string;
  requestId: string | null;
  changes: { kind: string; id: string; name?: string; action: string; after?: object }[];
  hash: string;
}

describe('rolecall audit', () => {
  const workspace = useWorkspace(team);

  const audit = (...args: string[]): Promise<Finished> => runCommand(['audit', ...args, '--data', workspace.dataDir]);
  const entries = async (...args: string[]): Promise<Entry[]> => {
    const { code, stdout, stderr } = await audit('list', ...args, '--format', 'json');
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as Entry[];
  };

  it('shows what was changed, by whom and how, the newest last, while the service runs', async () => {
    const all = await entries();
    assert.deepEqual(
      all.map(({ seq }) => seq),
      all.map((_entry, index) => index + 1),
    );
    assert.deepEqual(
      all.slice(0, 2).map(({ operation }) => operation),
      ['store create', 'keys create'],
    );
    assert.equal(all[1]?.actor.type, 'cli');
    assert.ok(all[1].actor.id.startsWith(`${userInfo().username}@`));
    for (const { actor, requestId } of all.slice(2)) {
      assert.deepEqual(actor, { type: 'api_key', id: workspace.keyId });
      assert.match(String(requestId), /^[0-9a-f]{8}-/);
    }
    assert.ok(all.some(({ operation }) => operation === 'createPermission'));
    const text = await audit();
    assert.equal(text.code, 0);
    assert.match(text.stdout, /^2 {2}\S+Z {2}cli \S+ {2}keys create\n {4}created api key /m);
    assert.match(text.stdout, /\n {4}created person ada \(\w{12}\): .*username "ada"/);
    assert.match(text.stdout, /\n {4}created data source billing .*, password set\n/);
  });

  it('shows no password, neither as text nor as JSON, and no secret of a key', async () => {
    const shown = (await audit('--limit', '1000')).stdout + JSON.stringify(await entries());
    assert.ok(!shown.includes(plantedPassword));
    assert.ok(!shown.includes(workspace.keySecret));
    assert.ok(!shown.includes('select sum(amount)'), 'texts are shown as digests');
  });

  it('shows only what is asked for', async () => {
    assert.equal((await entries('--limit', '2')).length, 2);
    assert.equal((await entries('--limit', '2')).at(-1)?.seq, (await entries()).at(-1)?.seq);
    assert.deepEqual(await entries('--until', '2020-01-01T00:00:00Z'), []);
    assert.deepEqual(await entries('--since', '2099-01-01T00:00:00Z'), []);
    assert.equal((await entries('--since', '1h')).length, (await entries()).length);
    assert.deepEqual(await entries('--key', 'nobody'), []);
    const ofKey = await entries('--key', workspace.keyId);
    assert.equal(ofKey.length, (await entries()).length - 1, 'its own making is there, too, but not that of the store');
    const people = await workspace.client.call('listPeople', {});
    const ada = people.find(({ username }) => username === 'ada');
    const ofAda = await entries('--person', 'ADA');
    assert.deepEqual(await entries('--person', String(ada?.id)), ofAda);
    assert.deepEqual(await entries('--object', String(ada?.id)), ofAda);
    assert.deepEqual(ofAda.map(({ operation }) => operation).sort(), ['addRolePerson', 'createPerson']);
  });

  it('says on standard error that there are older entries than it shows, and only then', async () => {
    const count = (await entries()).length;
    const all = await audit('list', '--since', '1h', '--limit', String(count));
    assert.deepEqual([all.code, all.stderr], [0, '']);
    const some = await audit('list', '--since', '1h', '--limit', String(count - 1));
    assert.match(some.stderr, /^warning: there are older entries .* --limit \d+ shows/i);
    assert.ok(!some.stdout.includes('store create'), 'the oldest is the one that is left out');
    assert.ok(some.stdout.trimEnd().endsWith(all.stdout.trimEnd().slice(-200)));
    const { stdout, stderr } = await audit('list', '--limit', '2', '--format', 'json');
    assert.equal((JSON.parse(stdout) as Entry[]).length, 2);
    assert.match(stderr, /older_entries/);
  });

  it('still finds a person who was deleted', async () => {
    const body = { name: 'Gone', username: 'gone', email: 'gone@example.com' };
    const { id } = await workspace.client.call('createPerson', { body });
    await workspace.client.call('lockPerson', { params: { person: id } });
    await workspace.client.call('deletePerson', { params: { person: id } });
    assert.deepEqual(
      (await entries('--person', 'gone')).map(({ operation }) => operation),
      ['createPerson', 'lockPerson', 'deletePerson'],
    );
  });

  it('shows the same of a running service, by its URL and a key of the scope admin', async () => {
    const ofService = (...args: string[]) =>
      runCommand(['audit', 'list', ...args, '--format', 'json'], { env: workspace.env });
    for (const filters of [
      ['--person', 'ADA'],
      ['--until', '2020-01-01T00:00:00Z'],
      ['--limit', '3', '--until', new Date().toISOString()],
    ]) {
      const expected = await entries(...filters);
      const { code, stdout, stderr } = await ofService(...filters);
      assert.equal(code, 0, stderr);
      assert.deepEqual(JSON.parse(stdout), expected);
    }
    const reading = (JSON.parse((await ofService('--limit', '1')).stdout) as Entry[])[0];
    assert.deepEqual([reading?.operation, reading?.actor.id], ['listAuditEntries', workspace.keyId]);
    const both = await runCommand(['audit', 'list', '--url', workspace.url, '--data', workspace.dataDir]);
    assert.equal(both.code, 1);
    assert.match(both.stderr, /--url names a service, and --data or --database-url a store: leave one out/);
  });

  it('says in words what is wrong with a time or a folder', async () => {
    for (const [args, expected] of [
      [['--since', 'yesterday'], /--since/],
      [['--limit', '0'], /whole number of at least 1/],
    ] as const) {
      const { code, stderr } = await audit(...args);
      assert.equal(code, 1);
      assert.match(stderr, expected);
    }
    using folder = temporaryFolder();
    const { code, stderr } = await runCommand(['audit', 'verify', '--data', folder.path]);
    assert.equal(code, 1);
    assert.match(stderr, /contains no store/);
  });

  it('verifies the trail, and names the first entry that does not fit', async () => {
    const whole = await audit('verify');
    assert.equal(whole.code, 0);
    const last = (await entries()).at(-1);
    assert.equal(
      whole.stdout,
      `The audit trail is whole: ${String(last?.seq)} entries.\nThe last one has the hash ${String(last?.hash)}\n`,
    );
    const database = new DatabaseSync(path.join(workspace.dataDir, 'rolecall.db'), { timeout: 5000 });
    database.exec("UPDATE audit_entry SET content = replace(content, 'api_key', 'service') WHERE seq = 3");
    database.close();
    const broken = await audit('verify');
    assert.equal(broken.code, 1);
    assert.match(broken.stdout, /^The audit trail is broken: entry 3 was changed.*\nThe 2 entries before it fit/);
    const json = await audit('verify', '--format', 'json');
    assert.equal(json.code, 1);
    const { ok, broken: where } = JSON.parse(json.stdout) as { ok: boolean; broken: { seq: number } };
    assert.deepEqual([ok, where.seq], [false, 3]);
  });
});
