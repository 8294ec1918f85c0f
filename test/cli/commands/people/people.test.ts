import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withData } from '../../../../server/data/open-data.ts';
import { Sessions } from '../../../../server/sign-in/sessions.ts';
import { StoreClock } from '../../../../server/store-clock.ts';
import { runCommand } from '../../support/run-command.ts';
import { team, useWorkspace } from '../../support/workspace.ts';

const link = /http:\/\/127\.0\.0\.1:\d+\/enrol#rolecall_invitation_[\w-]{43}/;

describe('people who come in', () => {
  const workspace = useWorkspace(team);
  const rolecall = (...args: string[]) => runCommand(args, { env: workspace.env });

  it('are invited by name, one after another or all as CSV', async () => {
    const one = await rolecall('people', 'invite', 'ADA');
    assert.equal(one.code, 0, one.stderr);
    assert.match(one.stdout, link);
    const all = await rolecall('people', 'invite', '--all', '--format', 'csv');
    const [heading, ...rows] = all.stdout.trim().split('\r\n');
    assert.equal(heading, 'username,email,link');
    assert.ok(rows.length > 0 && rows.every((row) => link.test(row)), all.stdout);
    const json = await rolecall('people', 'invite', 'ada', '--format', 'json');
    assert.match(json.stdout, link);
  });

  it('are not invited without a name, nor by one that no one has', async () => {
    const none = await rolecall('people', 'invite');
    assert.equal(none.code, 1);
    assert.match(none.stderr, /--all/);
    const unknown = await rolecall('people', 'invite', 'nobody');
    assert.match(unknown.stderr, /has no person nobody/);
  });

  it('are seen with their sessions, which end one by one or all of a person', async () => {
    const { stdout } = await rolecall('people', 'invite', 'ada', '--format', 'json');
    const [{ person }] = JSON.parse(stdout) as [{ person: { id: string } }];
    const open = () =>
      withData({ dataDir: workspace.dataDir, environment: {} }, ({ store, seal, keys }) => {
        const parts = { store, seal, clock: new StoreClock(), follow: () => keys.follow(), onError: () => undefined };
        const opening = {
          kind: 'browser',
          state: 'whole',
          factors: ['passkey'],
          address: '192.0.2.7',
          client: '',
        } as const;
        return store.write([], (executor) => new Sessions(parts).open(executor, { person: person.id, ...opening }));
      });
    const [first] = [await open(), await open(), await open()];
    const listed = await rolecall('sessions', 'list', '--person', 'ada');
    assert.equal(listed.stdout.match(/192\.0\.2\.7/g)?.length, 3, listed.stdout);
    assert.match((await rolecall('sessions', 'end', first.id)).stdout, /1 session ended/);
    assert.match((await rolecall('sessions', 'end', '--person', 'ada')).stdout, /2 sessions ended/);
    assert.match((await rolecall('sessions', 'list')).stdout, /No one is signed in/);
    assert.equal((await rolecall('sessions', 'end')).code, 1);
  });
});
