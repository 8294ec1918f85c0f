import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { parseTrust, type Service, startService } from '@rolecall/server';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';
import { freePort } from '../support/free-port.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { readGitlab, readWorkflow, runShell, writePrograms } from './support/pipeline.ts';

const token = 'ROLECALL_ID_TOKEN';

/** The script of a job up to the line about its token; `report access` then proves that it serves. */
function scriptThroughToken(script: string): string {
  const lines = script.split('\n');
  const last = lines.findIndex((line) => line.includes(token));
  return [...lines.slice(0, last + 1), 'rolecall report access'].join('\n');
}

const githubScripts = ['rolecall-plan.yml', 'rolecall-apply.yml', 'rolecall-drift.yml'].flatMap((name) =>
  Object.entries(readWorkflow(name).jobs).flatMap(([job, { steps, permissions }]) =>
    steps
      .filter(({ run }) => run?.includes(token))
      .map((step) => ({ name: `${name} ${job}: ${step.name ?? ''}`, script: step.run ?? '', permissions })),
  ),
);

const gitlabScripts = Object.entries(readGitlab()).flatMap(([name, { script = [] }]) =>
  script.filter((text) => text.includes(token)).map((text) => ({ name, script: text })),
);

describe('the pipelines of examples/ci without a stored key', () => {
  const folder = temporaryFolder();
  const path = writePrograms(folder.path);
  let issuer: TestIssuer;
  let service: Service;
  before(async () => {
    // The audience is the URL of the service, which has to be known before it starts.
    const port = await freePort();
    const audience = `http://127.0.0.1:${port}`;
    issuer = await startIssuer(audience);
    const claims = { repository: 'acme/access' };
    const trust = parseTrust({ rules: [{ name: 'ci', issuer: issuer.url, audience, claims, scope: 'read' }] });
    service = await startService({ dataDir: folder.path, environment: {}, port, trust });
  });
  after(async () => {
    await service.close();
    await issuer[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });
  const sign = () => issuer.sign({ repository: 'acme/access' });

  it('take the token in every job that has a key', () => {
    assert.deepEqual([githubScripts.length, gitlabScripts.length], [4, 3]);
    for (const { name, permissions } of githubScripts) assert.equal(permissions?.['id-token'], 'write', name);
  });

  for (const { name, script } of gitlabScripts) {
    it(`need only the token that GitLab puts into ROLECALL_ID_TOKEN: ${name}`, async () => {
      const env = { PATH: path, ROLECALL_URL: service.url, ROLECALL_ID_TOKEN: await sign() };
      const { code, output } = await runShell(scriptThroughToken(script), folder.path, env);
      assert.equal(code, 0, output);
    });

    it(`take a stored key before it: ${name}`, async () => {
      const key = { ROLECALL_KEY_ID: 'k3Jf9sWqL0aZ', ROLECALL_KEY_SECRET: 'of-the-key' };
      const env = { PATH: path, ROLECALL_URL: service.url, ROLECALL_ID_TOKEN: await sign(), ...key };
      const { output } = await runShell(scriptThroughToken(script), folder.path, env);
      assert.match(output, /refused the API key k3Jf9sWqL0aZ/);
    });
  }

  for (const { name, script } of githubScripts) {
    it(`need only the token that they ask GitHub for: ${name}`, async () => {
      const runner = createServer((request, response) => {
        const url = new URL(request.url ?? '', 'http://runner');
        const isAllowed = request.headers.authorization === 'Bearer of-the-runner';
        // GitHub signs a token for the audience that is asked for.
        const signed = issuer.sign({ repository: 'acme/access', aud: url.searchParams.get('audience') ?? '' });
        void signed.then((value) => response.writeHead(isAllowed ? 200 : 401).end(JSON.stringify({ value })));
      }).listen(0, '127.0.0.1');
      await once(runner, 'listening');
      try {
        const env = {
          PATH: path,
          ROLECALL_URL: service.url,
          // A secret that is not set is an empty variable.
          ROLECALL_KEY_ID: '',
          ROLECALL_KEY_SECRET: '',
          ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${(runner.address() as AddressInfo).port}/token`,
          ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-runner',
        };
        const { code, output } = await runShell(scriptThroughToken(script), folder.path, env);
        assert.equal(code, 0, output);
      } finally {
        runner.close();
        runner.closeAllConnections();
      }
    });
  }

  it('stop where the service refuses the token', async () => {
    const env = {
      PATH: path,
      ROLECALL_URL: service.url,
      ROLECALL_ID_TOKEN: await issuer.sign({ repository: 'other' }),
    };
    const { code, output } = await runShell(scriptThroughToken(gitlabScripts[0]?.script ?? ''), folder.path, env);
    assert.equal(code, 1);
    assert.match(output, /refused the token \(ROLECALL_ID_TOKEN\): .*no rule/);
  });
});
