import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { assertApplyResult } from '../../../support/plan-schema.ts';
import { isWrite } from '../../support/recording-proxy.ts';
import { type Finished, runCommand, startCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { plantedPassword, startWorkspace, type TestWorkspace, team } from '../../support/workspace.ts';

interface ApplyDocument {
  outcome: string;
  done: string[];
  failed: { id: string; message: string; ambiguous: boolean }[];
  notRun: { id: string; because: string }[];
}

/** What was printed, which fits the schema that is published for it. */
function documentIn(stdout: string): ApplyDocument {
  const document: unknown = JSON.parse(stdout);
  assertApplyResult(document);
  return document as ApplyDocument;
}

describe('rolecall apply', () => {
  let workspace: TestWorkspace;
  beforeEach(async () => {
    workspace = await startWorkspace();
  });
  afterEach(() => workspace[Symbol.asyncDispose]());

  const apply = (...args: string[]): Promise<Finished> => runCommand(['apply', team, ...args], { env: workspace.env });
  const writes = (): string[] => workspace.proxy.calls.filter(isWrite);

  it('makes the workspace match, tells of each step where that is asked for, and has nothing to do the second time', async () => {
    const first = await apply('--yes', '--verbose');
    assert.equal(first.code, 0, first.stderr);
    assert.equal(first.stdout.match(/^\d+\/8 done /gm)?.length, 8);
    assert.match(first.stdout, /\nApplied: 8 calls in \d+\.\d s\.\n$/);
    assert.equal(writes().length, 8);
    const second = await apply();
    assert.equal(second.code, 0);
    assert.match(second.stdout, /No changes\. The workspace matches the 6 definitions compared\.\n$/);
    assert.equal(writes().length, 8);
    const plan = await runCommand(['plan', team, '--detailed-exitcode'], { env: workspace.env });
    assert.equal(plan.code, 0);
  });

  it('prints nothing with --quiet but what goes wrong', async () => {
    const refused = { status: 409, body: '{}' };
    workspace.proxy.intercept = (call) => Promise.resolve(call === 'POST /api/v2/person' ? refused : undefined);
    const failed = await apply('--yes', '--quiet');
    assert.equal(failed.code, 1);
    assert.match(failed.stdout, /^\nFailed:\n/);
    workspace.proxy.intercept = () => Promise.resolve(undefined);
    assert.deepEqual(await apply('--yes', '--quiet'), { code: 0, stdout: '', stderr: '' });
    const plan = await runCommand(['plan', team, '--quiet', '--detailed-exitcode'], { env: workspace.env });
    assert.deepEqual(plan, { code: 0, stdout: '', stderr: '' });
  });

  it('shows with --quiet what is to be confirmed', async () => {
    const asked = await apply('--quiet');
    assert.match(asked.stdout, /\(8 calls\)\.\n$/);
    assert.equal(asked.code, 1);
  });

  it('writes nothing where there is no terminal to ask on and --yes is not given', async () => {
    const text = await apply();
    assert.equal(text.code, 1);
    assert.match(text.stdout, /\(8 calls\)\.\n$/);
    assert.match(text.stderr, /^error: nothing was written: there is no terminal .* add --yes/);
    const json = await apply('--format', 'json');
    assert.equal(documentIn(json.stdout).outcome, 'declined');
    assert.equal((JSON.parse(json.stderr) as { error: { code: string } }).error.code, 'ERR_YES_NEEDED');
    assert.deepEqual(writes(), []);
  });

  it('prints one JSON document', async () => {
    const { code, stdout, stderr } = await apply('--yes', '--format', 'json');
    const document = documentIn(stdout);
    assert.equal(code, 0);
    assert.equal(document.outcome, 'done');
    assert.equal(document.done.length, 8);
    assert.equal(stderr, '');
    const again = await apply('--yes', '--format', 'json');
    assert.equal(documentIn(again.stdout).outcome, 'unchanged');
  });

  it('shows no password and no key in any format, also when a call with a password fails', async () => {
    workspace.proxy.intercept = (call) =>
      Promise.resolve(call === 'POST /api/v2/data-source' ? { status: 400 } : undefined);
    for (const format of ['text', 'json']) {
      const { stdout, stderr } = await apply('--yes', '--format', format);
      assert.ok(!(stdout + stderr).includes(plantedPassword));
      assert.ok(!(stdout + stderr).includes(workspace.keySecret));
    }
    workspace.proxy.intercept = () => Promise.resolve(undefined);
    const { code, stdout, stderr } = await apply('--yes');
    assert.equal(code, 0);
    assert.ok(!(stdout + stderr).includes(plantedPassword));
    const [source] = await workspace.client.call('listDataSources', {});
    const detail = await workspace.client.call('getDataSourceDetail', { params: { dataSource: source?.id ?? '' } });
    assert.ok(detail.configUri.includes(plantedPassword), 'the password did not get there');
  });

  it('shows a changed password by fingerprints only', async () => {
    await apply('--yes');
    const env = { ...workspace.env, TEAM_BILLING_PASSWORD: 'an0ther-p4ssw0rd' };
    for (const format of ['text', 'markdown', 'json']) {
      const { stdout } = await runCommand(['plan', team, '--format', format], { env });
      assert.match(stdout, /secret [0-9a-f]{8}/);
      assert.ok(!stdout.includes(plantedPassword) && !stdout.includes('an0ther'));
    }
  });

  it('lists what failed and what did not run because of it, ends with 1, and continues from there at the next run', async () => {
    workspace.proxy.intercept = (call) => Promise.resolve(call === 'POST /api/v2/role' ? { status: 422 } : undefined);
    const text = await apply('--yes');
    assert.equal(text.code, 1);
    assert.match(
      text.stdout,
      /Failed:\n {2}create the role analysts \(Role\/analysts\)\n {4}(POST \/api\/v2\/role at http|the request was refused)/,
    );
    assert.match(text.stdout, /Not run:\n {2}because "create the role analysts" failed:\n/);
    assert.match(text.stdout, /Not all applied: 4 of 8 calls done, 1 failed, 3 not run/);
    const json = await apply('--yes', '--format', 'json');
    const document = documentIn(json.stdout);
    assert.deepEqual(
      [json.code, document.outcome, document.failed.length, document.notRun.length],
      [1, 'failed', 1, 3],
    );
    workspace.proxy.intercept = () => Promise.resolve(undefined);
    assert.equal((await apply('--yes')).code, 0);
    assert.equal((await runCommand(['plan', team, '--detailed-exitcode'], { env: workspace.env })).code, 0);
  });

  it('does what is not refused, leaves what is as it was, and ends with an error', async () => {
    const people = [
      { name: 'Ada Lovelace', email: 'countess@team.example', username: 'ada' },
      { name: 'Eve', email: 'ada@team.example', username: 'eve' },
    ];
    for (const body of people) await workspace.client.call('createPerson', { body });
    const text = await apply('--yes');
    assert.equal(text.code, 1);
    assert.match(text.stdout, /Refused \(email-taken\)/);
    assert.match(
      text.stdout,
      /Held up: what follows is refused.*\n {2}~ Person\/ada: email "ada@team\.example" instead of/,
    );
    assert.match(text.stderr, /^error: a part of the plan is refused \(email-taken\), and the rest was applied/);
    assert.ok(writes().some((call) => call.includes('/api/v2/data-source')));
    assert.ok(!writes().some((call) => /\/api\/v2\/person\/\w/.test(call)), 'the person stays');
    const before = writes().length;
    const json = await apply('--yes', '--format', 'json');
    assert.equal(json.code, 1);
    assert.equal(documentIn(json.stdout).outcome, 'refused');
    assert.equal(writes().length, before, 'nothing is left but what is refused');
    const eve = (await workspace.client.call('listPeople', {})).find(({ username }) => username === 'eve');
    await workspace.client.call('updatePerson', {
      params: { person: eve?.id ?? '' },
      body: { email: 'eve@team.example' },
    });
    const freed = await apply('--yes');
    assert.equal(freed.code, 0, freed.stderr);
  });

  it('says that an override is needed no more, and does its work', async () => {
    const text = await apply('--yes', '--override', 'removal-share:people');
    assert.equal(text.code, 0, text.stderr);
    assert.match(text.stdout, /The override removal-share:people overrides nothing in this plan/);
  });

  it('tells what is not declared from what is, and what falls along', async () => {
    assert.equal((await apply('--yes')).code, 0);
    await workspace.client.call('createDataSource', { body: { name: 'billing', configUri: 'sqlite:///data/b.db' } });
    const role = await workspace.client.call('createRole', { body: { name: 'temps' } });
    const [person] = await workspace.client.call('listPeople', {});
    await workspace.client.call('addRolePerson', { params: { role: role.id, person: person?.id ?? '' } });
    using folder = temporaryFolder();
    cpSync(team, folder.path, { recursive: true });
    const file = path.join(folder.path, 'workspace.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('[permissions]', '[roles, dataSources]'));
    const tokens = ['first-removal:roles', 'first-removal:dataSources', 'other-origin:team'];
    const named = tokens.flatMap((token) => ['--override', token]);
    const { code, stdout } = await runCommand(['apply', folder.path, '--yes', ...named], workspace);
    assert.equal(code, 0);
    assert.match(stdout, /\n {2}- DataSource\/billing \(undeclared\): delete billing {2}# not declared/);
    assert.match(stdout, /\n {2}- Role\/temps \(undeclared\): delete temps {2}# not declared/);
    assert.match(stdout, /\nNote: Role\/temps takes along 1 member \(\w+\)\.\n/);
  });

  it('calls nothing when a definition is invalid', async () => {
    using folder = temporaryFolder();
    writeFileSync(path.join(folder.path, 'broken.yaml'), 'kind: Person\nmetadata: { name: ada }\n');
    const { code } = await apply(folder.path, '--yes');
    assert.equal(code, 1);
    assert.deepEqual(workspace.proxy.calls, []);
  });

  it('runs no more calls side by side than it is told', async () => {
    let inFlight = 0;
    let most = 0;
    workspace.proxy.intercept = async (call) => {
      if (!isWrite(call)) return undefined;
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise((resolve) => setTimeout(resolve, 30));
      inFlight -= 1;
      return undefined;
    };
    assert.equal((await apply('--yes', '--concurrency', '1')).code, 0);
    assert.equal(most, 1);
  });

  it('finishes when its reader has gone', async () => {
    const started = startCommand(['apply', team, '--yes'], { env: workspace.env });
    await started.prints(/Workspace/);
    started.child.stdout?.destroy();
    const { code, stderr } = await started.finished;
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(writes().length, 8);
  });
});
