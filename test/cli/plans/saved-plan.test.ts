import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { readSavedPlan, writeSavedPlan } from '@rolecall/reconcile';
import { isWrite } from '../support/recording-proxy.ts';
import { runCommand, runProcess } from '../support/run-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { plantedPassword, startWorkspace, type TestWorkspace, team } from '../support/workspace.ts';

type Json = Record<string, unknown>;

describe('a saved plan', () => {
  let workspace: TestWorkspace;
  let folder: ReturnType<typeof temporaryFolder>;
  let file: string;
  beforeEach(async () => {
    workspace = await startWorkspace();
    folder = temporaryFolder();
    file = path.join(folder.path, 'plan.json');
  });
  afterEach(async () => {
    folder[Symbol.dispose]();
    await workspace[Symbol.asyncDispose]();
  });
  type Env = Record<string, string | undefined>;
  const save = async (env: Env = {}, ...more: string[]) => {
    const finished = await runCommand(['plan', team, '--out', file, ...more], { env: { ...workspace.env, ...env } });
    assert.equal(finished.code, 0, finished.stderr);
    workspace.proxy.calls.length = 0;
    return finished;
  };
  const apply = (env: Env = {}, ...more: string[]) =>
    runCommand(['apply', file, '--yes', ...more], { env: { ...workspace.env, ...env } });
  const edit = (change: (saved: Json) => void): void => {
    const saved = JSON.parse(readFileSync(file, 'utf8')) as Json;
    change(saved);
    writeFileSync(file, JSON.stringify(saved));
  };
  const writes = (): string[] => workspace.proxy.calls.filter(isWrite);
  const failsBeforeAnyCall = async (expected: RegExp, env: Env = {}, ...more: string[]): Promise<void> => {
    workspace.proxy.calls.length = 0;
    const { code, stderr, stdout } = await apply(env, ...more);
    assert.equal(code, 1, stdout);
    assert.match(stderr, expected);
    assert.deepEqual(workspace.proxy.calls, []);
  };

  it('is run just as it was saved, whatever the definitions say by then', async () => {
    const { stdout } = await save();
    assert.match(stdout, /Saved to .*plan\.json\. To run exactly this:\n {2}rolecall apply /);
    const { code, stdout: applied } = await apply();
    assert.equal(code, 0, applied);
    assert.match(applied, /Person\/ada: create ada/);
    assert.match(applied, /Applied: 8 calls/);
    assert.equal(writes().length, 8);
    const again = await runCommand(['plan', team, '--detailed-exitcode'], { env: workspace.env });
    assert.equal(again.code, 0, again.stdout);
  });

  it('can be read by its owner only, is written whole, and leaves nothing beside it', async () => {
    writeFileSync(file, '{"rolecallPlan":1,"an":"older one"}', { mode: 0o644 });
    await save();
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder.path), ['plan.json']);
  });

  it('takes the place of nothing but a plan: a slip costs no one a file', async () => {
    writeFileSync(file, 'kind: Person\n');
    const { code, stderr } = await runCommand(['plan', team, '--out', file], { env: workspace.env });
    assert.equal(code, 1);
    assert.match(stderr, /plan\.json exists and is not a saved plan: give another name, or remove the file/);
    assert.equal(readFileSync(file, 'utf8'), 'kind: Person\n');
    assert.deepEqual(workspace.proxy.calls, []);
    writeFileSync(file, '');
    await save();
    await save();
  });

  it('is not looked for in a folder', async () => {
    const { code, stderr } = await runCommand(['show', folder.path], { env: workspace.env });
    assert.equal(code, 1);
    assert.match(stderr, /is a folder: name the file that "rolecall plan --out" wrote/);
  });

  it('has no secret in it, neither the password nor the key', async () => {
    await save({ ROLECALL_PLAN_KEY: 'a key of the team, long enough' });
    const text = readFileSync(file, 'utf8');
    for (const secret of [plantedPassword, workspace.keySecret, 'a key of the team']) assert.ok(!text.includes(secret));
    assert.match(text, /"password":\{"env":"TEAM_BILLING_PASSWORD"\}/);
  });

  it('is not run once the workspace has moved on, and what moved is named', async () => {
    const changed = path.join(folder.path, 'team');
    cpSync(team, changed, { recursive: true });
    await runCommand(['apply', changed, '--yes'], { env: workspace.env });
    const access = path.join(changed, 'access.yaml');
    writeFileSync(access, readFileSync(access, 'utf8').replace('people: [ada]', 'people: [ada, grace]'));
    await runCommand(['plan', changed, '--out', file], { env: workspace.env });
    const people = await workspace.client.call('listPeople', {});
    const [role] = await workspace.client.call('listRoles', {});
    const idOf = (username: string): string => people.find((person) => person.username === username)!.id;
    await workspace.client.call('createPerson', {
      body: { name: 'Linus', email: 'l@team.example', username: 'linus' },
    });
    await workspace.client.call('lockPerson', { params: { person: idOf('grace') } });
    await workspace.client.call('removeRolePerson', { params: { role: role!.id, person: idOf('ada') } });
    workspace.proxy.calls.length = 0;
    const { code, stderr } = await apply();
    assert.equal(code, 1);
    assert.match(stderr, /the workspace has changed since this plan was made/);
    assert.match(stderr, /\n {2}people: linus was added; grace has changed\n/);
    assert.match(stderr, /\n {2}the people in analysts: ada is gone\n/);
    assert.match(stderr, /Make a new plan and have it reviewed/);
    assert.deepEqual(writes(), []);
  });

  it('says which role is gone, though its members cannot be read any more', async () => {
    await runCommand(['apply', team, '--yes'], { env: workspace.env });
    await save();
    const [role] = await workspace.client.call('listRoles', {});
    await workspace.client.call('deleteRole', { params: { role: role!.id } });
    const { code, stderr } = await apply();
    assert.equal(code, 1);
    assert.match(stderr, /\n {2}roles: analysts is gone\n/);
    assert.match(stderr, /\n {2}the people in analysts: ada is gone\n/);
  });

  it('is not run twice', async () => {
    await save();
    assert.equal((await apply()).code, 0);
    const { code, stderr } = await apply();
    assert.equal(code, 1);
    assert.match(stderr, /people: ada, grace were added/);
  });

  it('is refused when it was edited by hand, in any part of it', async () => {
    const edits: Record<string, (saved: Json) => void> = {
      body: (saved) => {
        (saved['plan'] as { steps: { body: Json }[] }).steps[0]!.body['name'] = 'Mallory';
      },
      'a step less': (saved) => (saved['plan'] as { steps: unknown[] }).steps.pop(),
      rails: (saved) => {
        ((saved['plan'] as Json)['rails'] as Json)['maxRemovalPercent'] = 100;
      },
      baseline: (saved) => {
        saved['baseline'] = {};
      },
      address: (saved) => {
        ((saved['plan'] as Json)['workspace'] as Json)['name'] = 'another';
      },
    };
    await save();
    const original = readFileSync(file);
    for (const change of Object.values(edits)) {
      writeFileSync(file, original);
      edit(change);
      await failsBeforeAnyCall(/plan\.json: the plan has been changed since it was written/);
    }
  });

  it('may be laid out anew, which changes nothing of what it says', async () => {
    await save();
    writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, 'utf8')), undefined, 2));
    assert.equal((await apply()).code, 0);
  });

  it('calls nothing but the operations of plans, even where its digest is right', async () => {
    await save();
    edit((saved) => {
      (saved['plan'] as { steps: { operation: string }[] }).steps[0]!.operation = 'executeCommands';
    });
    await failsBeforeAnyCall(/has not the form of one at plan\.steps\.0\.operation/);
  });

  it('calls no operation with what is not its own', async () => {
    await save();
    edit((saved) => {
      (saved['plan'] as { steps: { params: object }[] }).steps[0]!.params = { session: 'another' };
    });
    await failsBeforeAnyCall(/at plan\.steps\.0: has not the parameters and the body of its operation/);
  });

  it('is held to its signature where there is a key', async () => {
    const key = 'a key of the team, long enough';
    await save({ ROLECALL_PLAN_KEY: key });
    await failsBeforeAnyCall(/is signed, and there is no key here/);
    await failsBeforeAnyCall(/signature of the plan does not fit/, { ROLECALL_PLAN_KEY: 'another key, long enough' });
    await failsBeforeAnyCall(/needs 16 or more/, { ROLECALL_PLAN_KEY: 'short' });
    assert.equal((await apply({ ROLECALL_PLAN_KEY: key })).code, 0);
    await save();
    await failsBeforeAnyCall(/is not signed, and ROLECALL_PLAN_KEY asks for a signature/, { ROLECALL_PLAN_KEY: key });
  });

  it('is no use without its secrets, all of which are named before any call', async () => {
    await save();
    await failsBeforeAnyCall(
      /DataSource\/billing names the environment variable TEAM_BILLING_PASSWORD, which is not set/,
      { TEAM_BILLING_PASSWORD: '' },
    );
  });

  it('finds a secret in a file of another checkout', async () => {
    const [one, other] = ['one', 'other'].map((name) => path.join(folder.path, name)) as [string, string];
    mkdirSync(one);
    writeFileSync(path.join(one, 'password'), `${plantedPassword}\n`);
    writeFileSync(
      path.join(one, 'billing.yaml'),
      'apiVersion: rolecall.dev/v1alpha1\nkind: DataSource\nmetadata: { name: billing }\nspec:\n  uri: postgresql://reader@db.example:5432/billing\n  passwordFrom: { file: password }\n',
    );
    const saved = await runProcess(['plan', 'billing.yaml', '--out', file], { env: workspace.env, cwd: one });
    assert.equal(saved.code, 0, saved.stderr);
    assert.ok(!readFileSync(file, 'utf8').includes(one));
    mkdirSync(other);
    const missing = await runProcess(['apply', file, '--yes'], { env: workspace.env, cwd: other });
    assert.match(missing.stderr, /DataSource\/billing names .*other\/password, which cannot be read/);
    writeFileSync(path.join(other, 'password'), plantedPassword);
    assert.equal((await runProcess(['apply', file, '--yes'], { env: workspace.env, cwd: other })).code, 0);
    const [source] = await workspace.client.call('listDataSources', {});
    const detail = await workspace.client.call('getDataSourceDetail', { params: { dataSource: source!.id } });
    assert.match(detail.configUri, new RegExp(plantedPassword));
  });

  it('is for its own workspace only', async () => {
    await save();
    await failsBeforeAnyCall(/was made for the workspace at .*, and this is http:\/\/127\.0\.0\.1:1\./, {
      ROLECALL_URL: 'http://127.0.0.1:1',
    });
  });

  it('knows where its workspace is', async () => {
    await save();
    assert.equal((await apply({ ROLECALL_URL: '' })).code, 0);
  });

  it('is refused when a part of it is missing, with an error that says so', async () => {
    await save();
    const whole = readFileSync(file, 'utf8');
    for (const length of [20, whole.length - 3]) {
      writeFileSync(file, whole.slice(0, length));
      await failsBeforeAnyCall(/plan\.json: the plan is not whole/);
    }
  });

  it('of another version of the format is refused', async () => {
    await save();
    edit((saved) => {
      saved['rolecallPlan'] = 2;
    });
    await failsBeforeAnyCall(/has version 2 of the format, and this rolecall reads version 1/);
  });

  it('is refused once time has moved past a window that it grants', async () => {
    await save();
    const saved = readSavedPlan(readFileSync(file, 'utf8'), undefined);
    const createdAt = '2020-01-01T00:00:00.000Z';
    const steps = saved.plan.steps.map((step) =>
      step.operation === 'createPermission' ? { ...step, body: { startsAt: createdAt, duration: 3600 } } : step,
    );
    // As it would have been written then, by the same team.
    writeFileSync(file, writeSavedPlan({ ...saved, plan: { ...saved.plan, createdAt, steps } }, undefined));
    await failsBeforeAnyCall(
      /permissions in it have ended.*\n {2}Permission\/grace-billing ended at 2020-01-01T01:00:00\.000Z\n/,
    );
  });

  it('takes no flag that was decided when it was made', async () => {
    await save();
    await failsBeforeAnyCall(/--override cannot be given with a saved plan/, {}, '--override', 'removal-share:people');
    await failsBeforeAnyCall(/--workspace cannot be given with a saved plan/, {}, '--workspace', 'team');
    await failsBeforeAnyCall(/is a saved plan, which contains all that it needs/, {}, team);
  });

  it('is not what --format json prints, and says so', async () => {
    const { stdout } = await runCommand(['plan', team, '--format', 'json'], { env: workspace.env });
    writeFileSync(file, stdout);
    await failsBeforeAnyCall(/is the output of plan --format json.*plan --out FILE/);
  });

  it('is not written where the plan is refused, or cannot be', async () => {
    const refused = path.join(folder.path, 'refused.yaml');
    writeFileSync(
      refused,
      'apiVersion: rolecall.dev/v1alpha1\nkind: RoleMembership\nmetadata: { name: x }\nspec: { role: nobody, person: nobody }\n',
    );
    const plan = await runCommand(['plan', refused, '--out', file], { env: workspace.env });
    assert.equal(plan.code, 1);
    assert.ok(!existsSync(file));
    workspace.proxy.calls.length = 0;
    const nowhere = await runCommand(['plan', team, '--out', path.join(folder.path, 'no/plan.json')], {
      env: workspace.env,
    });
    assert.match(nowhere.stderr, /--out .* cannot be written: there is no such file or folder/);
    const onFolder = await runCommand(['plan', team, '--out', folder.path], { env: workspace.env });
    assert.match(onFolder.stderr, /is a folder/);
    assert.deepEqual(workspace.proxy.calls, []);
  });

  it('that has nothing to do is saved and applied all the same', async () => {
    await runCommand(['apply', team, '--yes'], { env: workspace.env });
    await save();
    const { code, stdout } = await apply();
    assert.equal(code, 0);
    assert.match(stdout, /No changes\./);
    assert.deepEqual(writes(), []);
  });

  it('is printed by show in every format, without a call', async () => {
    const { stdout: planned } = await save();
    const text = await runCommand(['show', file]);
    assert.equal(text.code, 0, text.stderr);
    assert.ok(planned.startsWith(text.stdout.trimEnd()));
    assert.match((await runCommand(['show', file, '--format', 'markdown'])).stdout, /^### Rolecall plan/);
    const json = JSON.parse((await runCommand(['show', file, '--format', 'json'])).stdout) as { steps: unknown[] };
    assert.equal(json.steps.length, 8);
    edit((saved) => {
      saved['madeBy'] = 'somebody';
    });
    assert.match((await runCommand(['show', file])).stderr, /has been changed since it was written/);
    const replanned = await runCommand(['plan', file], { env: workspace.env });
    assert.match(replanned.stderr, /is already a plan: "rolecall show .*" prints it/);
  });

  it('is JSON all the way where JSON is wanted', async () => {
    const saved = await save({}, '--format', 'json');
    assert.equal((JSON.parse(saved.stdout) as { format: number }).format, 1);
    const applied = await apply({}, '--format', 'json');
    assert.equal((JSON.parse(applied.stdout) as { outcome: string }).outcome, 'done');
    const again = await apply({}, '--format', 'json');
    const { error } = JSON.parse(again.stderr) as { error: { code: string; moved: { what: string }[] } };
    assert.equal(error.code, 'ERR_PLAN_OUTDATED');
    assert.ok(error.moved.some(({ what }) => what === 'people'));
  });
});
