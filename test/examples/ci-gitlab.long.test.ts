import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';
import { startWorkspace, type TestWorkspace } from '../cli/support/workspace.ts';
import { requires } from '../support/databases/parts.ts';
import { type AccessRepository, accessRepository } from './support/access-repository.ts';
import { type Outcome, readGitlab, runShell, writePrograms } from './support/pipeline.ts';

const jobs = readGitlab();

interface Gitlab extends AsyncDisposable {
  readonly url: string;
  readonly calls: string[];
  notes: { id: number; body: string }[];
  mergeRequests: { iid: number; state: string; target_branch: string }[];
  artifact: string | undefined;
}

/** GitLab's API, as far as the jobs use it. */
async function startGitlab(): Promise<Gitlab> {
  const state: Pick<Gitlab, 'calls' | 'notes' | 'mergeRequests' | 'artifact'> = {
    calls: [],
    notes: [],
    mergeRequests: [],
    artifact: undefined,
  };
  const server = createServer((request, response) => {
    const call = `${request.method ?? ''} ${request.url ?? ''}`;
    state.calls.push(`${call} ${String(request.headers['private-token'])}`);
    let form = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      form += text;
    });
    request.on('end', () => {
      const body = new URLSearchParams(form).get('body') ?? '';
      if (call.startsWith('POST')) state.notes.push({ id: 5, body });
      if (call.startsWith('PUT'))
        state.notes = state.notes.map((note) => (call.endsWith(`/${note.id}`) ? { ...note, body } : note));
      if (call.includes('/jobs/artifacts/')) {
        response.writeHead(state.artifact === undefined ? 404 : 200).end(state.artifact ?? '');
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(call.endsWith('/merge_requests') ? state.mergeRequests : state.notes));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v4`;
  return Object.assign(state, {
    url,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  });
}

function runnerOf(repository: AccessRepository, workspace: TestWorkspace, gitlab: Gitlab) {
  const PATH = writePrograms(repository.folder);
  return (name: string, variables: Readonly<Record<string, string>> = {}): Promise<Outcome> =>
    runShell((jobs[name]?.script ?? []).join('\n'), repository.path, {
      ...workspace.env,
      PATH,
      DEFINITIONS: 'access',
      CI_API_V4_URL: gitlab.url,
      CI_PROJECT_ID: '3',
      CI_MERGE_REQUEST_IID: '12',
      CI_COMMIT_SHA: repository.git('rev-parse', 'HEAD').trim(),
      CI_DEFAULT_BRANCH: 'main',
      ROLECALL_NOTE_TOKEN: 'note-token',
      ROLECALL_READ_TOKEN: 'read-token',
      ...variables,
    });
}

const count = async ({ client }: TestWorkspace) => (await client.call('listPeople', {})).length;

describe('the pipeline for GitLab CI', requires('curl'), () => {
  it('plans a merge request, keeps one note, applies the reviewed plan after the merge, and finds drift', async () => {
    await using workspace = await startWorkspace();
    await using gitlab = await startGitlab();
    using repository = accessRepository();
    const run = runnerOf(repository, workspace, gitlab);
    assert.equal((await run('rolecall:validate')).code, 0);
    const planned = await run('rolecall:plan');
    assert.equal(planned.code, 0, planned.output);
    gitlab.notes.push({ id: 4, body: 'Looks good' });
    for (const _time of [1, 2]) {
      const commented = await run('rolecall:comment');
      assert.equal(commented.code, 0, commented.output);
    }
    assert.deepEqual(
      gitlab.notes.map(({ id, body }) => [id, body.split('\n')[0]]),
      [
        [4, 'Looks good'],
        [5, '<!-- rolecall plan -->'],
      ],
    );
    assert.equal(
      gitlab.notes[1]?.body,
      `<!-- rolecall plan -->\n${readFileSync(path.join(repository.path, 'plan/comment.md'), 'utf8')}`,
    );
    assert.ok(gitlab.calls.includes('PUT /api/v4/projects/3/merge_requests/12/notes/5 note-token'));

    gitlab.artifact = readFileSync(path.join(repository.path, 'plan/plan.json'), 'utf8');
    gitlab.mergeRequests = [
      { iid: 11, state: 'opened', target_branch: 'main' },
      { iid: 12, state: 'merged', target_branch: 'main' },
    ];
    const applied = await run('rolecall:apply');
    assert.equal(applied.code, 0, applied.output);
    assert.ok(
      gitlab.calls.some((call) =>
        call.includes('/artifacts/refs%2Fmerge-requests%2F12%2Fhead/raw/plan/plan.json?job=rolecall:plan read-token'),
      ),
    );
    assert.equal(await count(workspace), 2);
    assert.equal((await run('rolecall:apply')).code, 0, 'nothing is pending the second time');
    assert.equal((await run('rolecall:drift')).code, 0);
    const [ada] = await workspace.client.call('listPeople', {});
    await workspace.client.call('lockPerson', { params: { person: ada!.id } });
    assert.equal((await run('rolecall:drift')).code, 2);
  });

  it('sends the key nowhere while the project does not say where the workspace is', async () => {
    await using workspace = await startWorkspace();
    await using gitlab = await startGitlab();
    using repository = accessRepository();
    const elsewhere = `apiVersion: rolecall.dev/v1alpha1\nkind: Workspace\nmetadata: { name: main }\nspec: { url: ${workspace.proxy.url} }\n`;
    repository.commit('access/workspace.yaml', elsewhere);
    const run = runnerOf(repository, workspace, gitlab);
    for (const job of ['rolecall:plan', 'rolecall:apply', 'rolecall:drift']) {
      const { code, output } = await run(job, { ROLECALL_URL: '' });
      assert.notEqual(code, 0);
      assert.match(output, /ROLECALL_URL: is not set: add it to the variables of the project/);
    }
    assert.deepEqual(workspace.proxy.calls, []);
  });

  it('writes nothing when what would run is not what was reviewed, or nothing was reviewed', async () => {
    await using workspace = await startWorkspace();
    await using gitlab = await startGitlab();
    using repository = accessRepository();
    const run = runnerOf(repository, workspace, gitlab);
    assert.equal((await run('rolecall:plan')).code, 0);
    const direct = await run('rolecall:apply');
    assert.deepEqual([direct.code, /came by no merge request/.test(direct.output)], [1, true]);
    gitlab.mergeRequests = [{ iid: 12, state: 'merged', target_branch: 'main' }];
    assert.match((await run('rolecall:apply')).output, /has no plan, or it is gone/);
    gitlab.artifact = readFileSync(path.join(repository.path, 'plan/plan.json'), 'utf8');
    cpSync(path.join(repository.path, 'access'), path.join(repository.path, 'before'), { recursive: true });
    repository.commit('access/role.yaml', 'apiVersion: rolecall.dev/v1alpha1\nkind: Role\nmetadata: { name: more }\n');
    const refused = await run('rolecall:apply');
    assert.equal(refused.code, 1);
    assert.match(refused.output, /^\+.*createRole.*more/m);
    assert.match(refused.output, /Nothing was written\. Open a merge request/);
    assert.equal(await count(workspace), 0);
  });

  it('notes what is wrong with definitions that cannot be planned, and leaves no plan', async () => {
    await using workspace = await startWorkspace();
    await using gitlab = await startGitlab();
    using repository = accessRepository();
    const run = runnerOf(repository, workspace, gitlab);
    repository.commit('access/role.yaml', 'apiVersion: rolecall.dev/v1alpha1\nkind: Rol\nmetadata: { name: more }\n');
    assert.equal((await run('rolecall:plan')).code, 1);
    assert.equal(existsSync(path.join(repository.path, 'plan/plan.json')), false);
    assert.match(
      readFileSync(path.join(repository.path, 'plan/comment.md'), 'utf8'),
      /role\.yaml:2:7 error: kind is "Rol"/,
    );
  });
});

describe('each job for GitLab CI', () => {
  const named = Object.entries(jobs).filter(([name]) => !name.startsWith('.'));

  it('has keys of its own environment, and none where forks run', () => {
    const environments = named.map(([name, { environment }]) => [name, environment?.name]);
    assert.deepEqual(Object.fromEntries(environments), {
      'rolecall:validate': undefined,
      'rolecall:plan': 'rolecall-plan',
      'rolecall:comment': 'rolecall-comment',
      'rolecall:apply': 'rolecall-apply',
      'rolecall:drift': 'rolecall-plan',
    });
    for (const [name, { rules = [] }] of named) {
      const isOpen = rules.some(({ if: condition }) => condition === '$CI_PIPELINE_SOURCE == "merge_request_event"');
      assert.equal(isOpen, name === 'rolecall:validate', name);
    }
  });

  it('stands on one image of a fixed version, and apply is never cut off nor side by side', () => {
    assert.match(jobs['.rolecall']?.image ?? '', /^node:24\.\d+\.\d+-\w+$/);
    for (const [, job] of named) assert.equal(job.extends, '.rolecall');
    assert.equal(jobs['rolecall:apply']?.interruptible, false);
    assert.equal(jobs['rolecall:apply'].resource_group, 'rolecall-apply');
  });
});
