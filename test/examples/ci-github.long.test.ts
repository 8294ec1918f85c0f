import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { startWorkspace, type TestWorkspace } from '../cli/support/workspace.ts';
import { type AccessRepository, accessRepository } from './support/access-repository.ts';
import { type Expressions, readWorkflow, runJob, type Workflow, writePrograms } from './support/pipeline.ts';

const [planning, applying, drifting] = ['plan', 'apply', 'drift'].map((name) =>
  readWorkflow(`rolecall-${name}.yml`),
) as [Workflow, Workflow, Workflow];

/** GitHub's own command, as far as the workflows use it: it answers from files, and writes down what it was asked. */
const gh = `#!/usr/bin/env node
const fs = require('node:fs');
const [command, ...args] = process.argv.slice(2);
const state = process.env.FAKE_GITHUB;
fs.appendFileSync(state + '/calls', [command, ...args].join(' ') + '\\n');
const valueOf = (name) => args[args.indexOf(name) + 1];
if (command === 'run') {
  if (!fs.existsSync(state + '/artifact')) process.exit(1);
  fs.cpSync(state + '/artifact', valueOf('--dir'), { recursive: true });
} else if (args.includes('--field')) {
  fs.writeFileSync(state + '/posted.md', fs.readFileSync(valueOf('--field').replace('body=@', '')));
} else {
  const name = args.find((arg) => arg.startsWith('repos/')).includes('/runs?') ? 'runs' : args.at(-1).split('/').at(-1);
  const answer = JSON.parse(fs.readFileSync(state + '/' + name + '.json', 'utf8'));
  console.log(JSON.stringify(args.includes('--slurp') ? [answer] : answer));
}
`;

const expressions = (workspace: TestWorkspace) => ({
  'vars.ROLECALL_URL': workspace.url,
  'secrets.ROLECALL_KEY_ID': workspace.keyId,
  'secrets.ROLECALL_KEY_SECRET': workspace.keySecret,
  'github.token': 't0ken',
  'github.event.pull_request.number': '7',
});

interface Forge {
  readonly state: string;
  run: (workflow: Workflow, job: string, commit?: string, variables?: Expressions) => ReturnType<typeof runJob>;
  answer: (name: string, value: unknown) => void;
  calls: () => string;
}

function forgeOf(repository: AccessRepository, workspace: TestWorkspace): Forge {
  const state = path.join(repository.folder, 'github');
  const PATH = writePrograms(repository.folder, { gh });
  cpSync(path.join(repository.path, 'README.md'), path.join(state, 'calls'), { recursive: true });
  writeFileSync(path.join(state, 'calls'), '');
  const answer = (name: string, value: unknown) => {
    writeFileSync(path.join(state, `${name}.json`), JSON.stringify(value));
  };
  answer('comments', []);
  return {
    state,
    answer,
    calls: () => readFileSync(path.join(state, 'calls'), 'utf8'),
    run: (workflow, job, commit = '', variables = {}) =>
      runJob(
        workflow,
        workflow.jobs[job]!,
        repository.path,
        {
          PATH,
          FAKE_GITHUB: state,
          GITHUB_REPOSITORY: 'acme/access',
          GITHUB_SHA: commit,
          TEAM_BILLING_PASSWORD: workspace.env['TEAM_BILLING_PASSWORD'],
        },
        { ...expressions(workspace), ...variables },
      ),
  };
}

/** What the platform does between the pull request and the merge. */
function merge(repository: AccessRepository, forge: Forge): string {
  rmSync(path.join(forge.state, 'artifact'), { recursive: true, force: true });
  cpSync(path.join(repository.path, 'plan'), path.join(forge.state, 'artifact'), { recursive: true });
  rmSync(path.join(repository.path, 'plan'), { recursive: true });
  const head = repository.git('rev-parse', 'HEAD').trim();
  const other = { number: 6, merged_at: null, base: { ref: 'main' }, head: { sha: 'f'.repeat(40) } };
  const ours = { number: 7, merged_at: '2026-01-01T00:00:00Z', base: { ref: 'main' }, head: { sha: head } };
  forge.answer('pulls', [other, ours]);
  forge.answer('runs', { workflow_runs: [{ id: 4711 }, { id: 4710 }] });
  return head;
}

async function usernames({ client }: TestWorkspace): Promise<string[]> {
  return (await client.call('listPeople', {})).map(({ username }) => username).sort();
}

const lin = `apiVersion: rolecall.dev/v1alpha1
kind: Person
metadata: { name: lin }
spec: { name: Lin, email: lin@team.example }
---
apiVersion: rolecall.dev/v1alpha1
kind: Permission
metadata: { name: lin-billing }
spec: { person: lin, dataSource: billing, expiresAt: 2099-01-01T00:00:00Z }
`;

describe('the workflows for GitHub Actions', () => {
  it('plan a pull request, comment once, apply the reviewed plan after the merge, and find drift', async () => {
    await using workspace = await startWorkspace();
    using repository = accessRepository();
    const forge = forgeOf(repository, workspace);

    assert.equal((await forge.run(planning, 'validate')).code, 0);
    const planned = await forge.run(planning, 'plan');
    assert.equal(planned.code, 0, planned.output);
    assert.deepEqual(await usernames(workspace), [], 'a plan writes nothing');
    assert.equal((await forge.run(planning, 'comment')).code, 0);
    assert.match(forge.calls(), /--method POST repos\/acme\/access\/issues\/7\/comments/);
    const posted = readFileSync(path.join(forge.state, 'posted.md'), 'utf8');
    assert.match(posted, /^<!-- rolecall plan -->\n### Rolecall plan/);
    const own = { id: 99, user: { login: 'github-actions[bot]' }, body: posted };
    forge.answer('comments', [{ ...own, id: 98, user: { login: 'mallory' } }, own]);
    assert.equal((await forge.run(planning, 'comment')).code, 0);
    assert.match(forge.calls(), /--method PATCH repos\/acme\/access\/issues\/comments\/99/);

    const commit = merge(repository, forge);
    const applied = await forge.run(applying, 'apply', commit);
    assert.equal(applied.code, 0, applied.output);
    assert.match(forge.calls(), new RegExp(`head_sha=${commit}`));
    assert.match(forge.calls(), /run download 4711 /);
    assert.deepEqual(await usernames(workspace), ['ada', 'grace']);
    assert.equal((await forge.run(applying, 'apply', commit)).code, 0, 'nothing is pending the second time');

    assert.equal((await forge.run(drifting, 'drift')).code, 0);
    const [ada] = await workspace.client.call('listPeople', {});
    await workspace.client.call('lockPerson', { params: { person: ada!.id } });
    const drifted = await forge.run(drifting, 'drift');
    assert.deepEqual(
      [drifted.code, /::error::The workspace is not what main declares/.test(drifted.output)],
      [2, true],
    );
  });

  it('post a comment that GitHub takes, however large the plan is, which says what it leaves out', async () => {
    await using workspace = await startWorkspace();
    using repository = accessRepository();
    const forge = forgeOf(repository, workspace);
    const many = Array.from({ length: 600 }, (_, index) =>
      lin.split('---')[0]!.replaceAll(/\blin\b/g, `person-${index}`),
    );
    repository.commit('access/many.yaml', many.join('---\n'));
    const planned = await forge.run(planning, 'plan');
    assert.equal(planned.code, 0, planned.output);
    assert.equal((await forge.run(planning, 'comment')).code, 0);
    const posted = readFileSync(path.join(forge.state, 'posted.md'), 'utf8');
    assert.ok(posted.length <= 65_536, `${posted.length} characters`);
    assert.match(posted, /\*\*\d+ lines left out here: `rolecall show plan\/plan\.json` shows them all/);
  });

  it('apply what was reviewed even when it was planned some time ago, and other changes came in between', async () => {
    await using workspace = await startWorkspace();
    using repository = accessRepository();
    const forge = forgeOf(repository, workspace);
    repository.commit('access/lin.yaml', lin);
    assert.equal((await forge.run(planning, 'plan')).code, 0);
    const commit = merge(repository, forge);
    const unrelated = { name: 'Mary', email: 'mary@team.example', username: 'mary' };
    await workspace.client.call('createPerson', { body: unrelated });
    const applied = await forge.run(applying, 'apply', commit);
    assert.equal(applied.code, 0, applied.output);
    assert.deepEqual(await usernames(workspace), ['ada', 'grace', 'lin', 'mary']);
  });

  it('write nothing when what would run is not what was reviewed, and show the difference', async () => {
    await using workspace = await startWorkspace();
    using repository = accessRepository();
    const forge = forgeOf(repository, workspace);
    assert.equal((await forge.run(planning, 'plan')).code, 0);
    merge(repository, forge);
    const commit = repository.commit('access/lin.yaml', lin);
    const refused = await forge.run(applying, 'apply', commit);
    assert.equal(refused.code, 1);
    assert.match(refused.output, /^\+.*createPerson.*lin/m);
    assert.match(refused.output, /::error::What would run now \(\+\) is not what was reviewed/);
    assert.deepEqual(await usernames(workspace), []);
  });

  it('write nothing without a pull request, without a plan of its last commit, or with one that is gone', async () => {
    await using workspace = await startWorkspace();
    using repository = accessRepository();
    const forge = forgeOf(repository, workspace);
    assert.equal((await forge.run(planning, 'plan')).code, 0);
    const commit = merge(repository, forge);
    rmSync(path.join(forge.state, 'artifact'), { recursive: true });
    assert.match((await forge.run(applying, 'apply', commit)).output, /plan of pull request 7 is gone/);
    forge.answer('runs', { workflow_runs: [] });
    assert.match((await forge.run(applying, 'apply', commit)).output, /request 7 has no plan of its last commit/);
    forge.answer('pulls', []);
    const direct = await forge.run(applying, 'apply', commit);
    assert.deepEqual([direct.code, /came by no pull request/.test(direct.output)], [1, true]);
    assert.deepEqual(await usernames(workspace), []);
  });

  it('send the key nowhere while the repository does not say where the workspace is', async () => {
    await using workspace = await startWorkspace();
    using repository = accessRepository();
    const forge = forgeOf(repository, workspace);
    const elsewhere = `apiVersion: rolecall.dev/v1alpha1\nkind: Workspace\nmetadata: { name: main }\nspec: { url: ${workspace.proxy.url} }\n`;
    const commit = repository.commit('access/workspace.yaml', elsewhere);
    // An expression of what is not there is an empty text.
    for (const [workflow, job] of [
      [planning, 'plan'],
      [applying, 'apply'],
      [drifting, 'drift'],
    ] as const) {
      const { code, output } = await forge.run(workflow, job, commit, { 'vars.ROLECALL_URL': '' });
      assert.notEqual(code, 0);
      assert.match(output, /ROLECALL_URL: is not set: add it to the variables of the repository/);
    }
    assert.deepEqual(workspace.proxy.calls, []);
  });

  it('comment what is wrong with definitions that cannot be planned, and leave no plan', async () => {
    await using workspace = await startWorkspace();
    using repository = accessRepository();
    const forge = forgeOf(repository, workspace);
    repository.commit('access/lin.yaml', lin.replace('email', 'emial'));
    assert.equal((await forge.run(planning, 'validate')).code, 1);
    assert.equal((await forge.run(planning, 'plan')).code, 1);
    assert.equal(existsSync(path.join(repository.path, 'plan/plan.json')), false);
    assert.match(
      readFileSync(path.join(repository.path, 'plan/comment.md'), 'utf8'),
      /lin\.yaml:4:20 error: spec\.emial/,
    );
  });
});

describe('each workflow for GitHub Actions', () => {
  for (const [name, workflow] of Object.entries({ planning, applying, drifting })) {
    const jobs = Object.entries(workflow.jobs);
    const steps = jobs.flatMap(([, job]) => job.steps);

    it(`has actions pinned by full commit, and keeps no credentials (${name})`, () => {
      for (const { uses, with: options } of steps.filter((step) => step.uses !== undefined)) {
        assert.match(uses ?? '', /^actions\/[a-z-]+@[0-9a-f]{40}$/);
        if (uses?.startsWith('actions/checkout@') === true) assert.equal(options?.['persist-credentials'], false);
      }
    });

    it(`has no permission but those that a job names, and an end (${name})`, () => {
      assert.deepEqual(workflow.permissions, {});
      for (const [, job] of jobs) {
        const granted = Object.entries(job.permissions ?? {}).filter(([, access]) => access !== 'read');
        // A token of the platform is given to who may exchange it for a key.
        const token = job.environment === undefined ? [] : ['id-token'];
        assert.ok(granted.every(([scope]) => ['pull-requests', ...token].includes(scope)));
        assert.ok((job['timeout-minutes'] ?? 361) <= 60);
      }
      assert.equal(workflow.defaults?.run.shell, 'bash');
    });

    it(`gives keys only to jobs of an environment, and never by an expression inside of a script (${name})`, () => {
      for (const [, job] of jobs) {
        const secrets = JSON.stringify(job).includes('secrets.');
        assert.equal(secrets, job.environment !== undefined);
        if (secrets) assert.equal(job.permissions?.['pull-requests'] === 'write', false);
      }
      for (const { run = '' } of steps) assert.doesNotMatch(run, /\$\{\{/);
    });

    it(`has a group in which runs wait, and only plans are cut off (${name})`, () => {
      assert.equal(workflow.concurrency?.['cancel-in-progress'], workflow === planning);
      assert.equal('pull_request_target' in workflow.on, false);
    });
  }

  it('gives nothing to forks', () => {
    assert.match(planning.jobs['plan']?.if ?? '', /head\.repo\.full_name == github\.repository/);
    assert.equal(planning.jobs['validate']?.environment, undefined);
  });
});
