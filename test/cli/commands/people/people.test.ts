import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { withData } from '../../../../server/data/open-data.ts';
import { Sessions } from '../../../../server/sign-in/sessions.ts';
import { StoreClock } from '../../../../server/store-clock.ts';
import { runCommand, startInProcess } from '../../support/run-command.ts';
import { team, useWorkspace } from '../../support/workspace.ts';

const link = /http:\/\/127\.0\.0\.1:\d+\/enrol#rolecall_invitation_[\w-]{43}/;

const refusal = (status: number, code: string) => ({
  status,
  headers: { 'content-type': 'application/problem+json' },
  body: JSON.stringify({ type: 'about:blank', title: 'refused', status, code, detail: 'by the test' }),
});

describe('people who come in', () => {
  const workspace = useWorkspace(team);
  const rolecall = (...args: string[]) => runCommand(args, { env: workspace.env });
  const open = async (username: string): Promise<string> => {
    const people = await workspace.client.call('listPeople', {});
    const person = people.find((one) => one.username === username)?.id ?? '';
    return withData({ dataDir: workspace.dataDir, environment: {} }, async ({ store, seal, keys }) => {
      const parts = { store, seal, clock: new StoreClock(), follow: () => keys.follow(), onError: () => undefined };
      const opening = {
        kind: 'browser',
        state: 'whole',
        factors: ['passkey'],
        address: '192.0.2.7',
        client: '',
      } as const;
      const { id } = await store.write([], (executor) => new Sessions(parts).open(executor, { person, ...opening }));
      return id;
    });
  };
  afterEach(() => {
    workspace.proxy.intercept = () => Promise.resolve(undefined);
  });

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

  it('are told nothing where an invitation is refused', async () => {
    workspace.proxy.intercept = (call) =>
      Promise.resolve(call.startsWith('POST') ? refusal(403, 'forbidden') : undefined);
    for (const format of ['text', 'csv', 'json']) {
      const { code, stdout } = await rolecall('people', 'invite', 'ada', '--format', format);
      assert.equal(code, 1);
      assert.doesNotMatch(stdout, /Everyone|username|^\[/);
    }
  });

  it('keep their links at Ctrl-C: the invitation in flight is finished and shown, and no further one is made', async () => {
    let invited = 0;
    const started = startInProcess(['people', 'invite', '--all'], { env: workspace.env });
    workspace.proxy.intercept = (call) => {
      if (call.startsWith('POST') && ++invited === 1) started.signal('SIGINT');
      return Promise.resolve(undefined);
    };
    const { code, stdout, stderr } = await started.finished;
    assert.equal(code, 130);
    assert.equal(invited, 1);
    assert.equal(stdout.match(new RegExp(link, 'g'))?.length, 1, stdout);
    assert.match(stderr, /interrupted; what was done before stays/);
  });

  it('are seen with their sessions, which end one by one or all of a person', async () => {
    const [first] = [await open('ada'), await open('ada'), await open('ada')];
    const listed = await rolecall('sessions', 'list', '--person', 'ada');
    assert.equal(listed.stdout.match(/192\.0\.2\.7/g)?.length, 3, listed.stdout);
    assert.match((await rolecall('sessions', 'end', first)).stdout, /1 session ended/);
    assert.match((await rolecall('sessions', 'end', '--person', 'ada')).stdout, /2 sessions ended/);
    assert.match((await rolecall('sessions', 'list')).stdout, /No one is signed in/);
    assert.equal((await rolecall('sessions', 'end')).code, 1);
  });

  it('all lose their sessions though one of them is over by then', async () => {
    const first = await open('ada');
    await open('ada');
    workspace.proxy.intercept = async (call) => {
      if (call === `DELETE /api/v2/session/${first}`)
        await workspace.client.call('endSession', { params: { session: first } });
      return undefined;
    };
    const ended = await rolecall('sessions', 'end', '--person', 'ada');
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /1 session ended/);
    // What was ended before a failure is told all the same.
    await open('ada');
    await open('ada');
    let ending = 0;
    workspace.proxy.intercept = (call) =>
      Promise.resolve(call.startsWith('DELETE') && ++ending === 2 ? refusal(403, 'forbidden') : undefined);
    const failed = await rolecall('sessions', 'end', '--person', 'ada');
    assert.equal(failed.code, 1);
    assert.match(failed.stdout, /1 session ended/);
  });
});
