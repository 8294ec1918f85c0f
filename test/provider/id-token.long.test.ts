import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseTrust, type Service, startService } from '@rolecall/server';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';
import { requires } from '../support/databases/parts.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { listenOn } from '../support/relay.ts';
import { attach, inOneLine, startProcess } from './support/terraform.ts';

const hcl = `terraform {
  required_providers {
    rolecall = { source = "rolecall/rolecall" }
  }
}
resource "rolecall_role" "analysts" { name = "Analysts" }
`;

describe('the provider in a pipeline without a stored key', requires('terraform'), () => {
  const data = temporaryFolder();
  let issuer: TestIssuer;
  let service: Service;
  before(async () => {
    issuer = await startIssuer('https://workspace.example.com');
    const claims = { repository: 'acme/access' };
    const audience = 'https://workspace.example.com';
    const rule = { name: 'ci', issuer: issuer.url, audience, claims, scope: 'write' };
    service = await startService({ dataDir: data.path, environment: {}, trust: parseTrust({ rules: [rule] }) });
  });
  after(async () => {
    await service.close();
    await issuer[Symbol.asyncDispose]();
    data[Symbol.dispose]();
  });

  const sign = () => issuer.sign({ repository: 'acme/access' });

  /** Runs terraform with a provider that has this environment. */
  async function run(folder: string, args: readonly string[], env: Record<string, string>) {
    const attached = await attach({ env: { ROLECALL_URL: service.url, ...env } });
    const cliConfig = path.join(folder, 'cli.tfrc');
    writeFileSync(cliConfig, '');
    try {
      const given = { TF_CLI_CONFIG_FILE: cliConfig, TF_REATTACH_PROVIDERS: attached.variable };
      return await startProcess(folder, args, given).finished;
    } finally {
      attached.close();
    }
  }

  it('asks the runner of GitHub for a token whenever it is configured, and has it in no output and no state', async () => {
    using folder = temporaryFolder();
    const tokens: string[] = [];
    const asked = new Set<string | undefined>();
    const runner = createServer((request, response) => {
      asked.add(request.url);
      void sign().then((value) => {
        tokens.push(value);
        response.end(JSON.stringify({ value }));
      });
    });
    const env = {
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${await listenOn(runner)}/token?api=2`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-runner',
    };
    try {
      const provider = 'provider "rolecall" { id_token_audience = "https://workspace.example.com" }';
      writeFileSync(path.join(folder.path, 'main.tf'), `${hcl}${provider}`);
      const applied = await run(folder.path, ['apply', '-auto-approve', '-no-color'], env);
      assert.equal(applied.code, 0, applied.output);
      const planned = await run(folder.path, ['plan', '-detailed-exitcode', '-no-color'], env);
      assert.equal(planned.code, 0, planned.output);
      assert.deepEqual([...asked], ['/token?api=2&audience=https%3A%2F%2Fworkspace.example.com']);
      assert.ok(tokens.length >= 2);
      const written =
        applied.output + planned.output + readFileSync(path.join(folder.path, 'terraform.tfstate'), 'utf8');
      for (const token of tokens) assert.ok(!written.includes(token));
    } finally {
      runner.closeAllConnections();
      runner.close();
    }
  });

  it('takes a token from a file, and says what to do where the service has had it before', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'token');
    writeFileSync(file, `${await sign()}\n`);
    writeFileSync(
      path.join(folder.path, 'main.tf'),
      `${hcl}provider "rolecall" {\n  id_token_file = "${file}"\n  id_token_audience = "https://workspace.example.com"\n}`,
    );
    const first = await run(folder.path, ['plan', '-no-color'], {});
    assert.equal(first.code, 0, first.output);
    const second = await run(folder.path, ['plan', '-no-color'], {});
    assert.equal(second.code, 1);
    assert.match(inOneLine(second.output), /The workspace refuses the token .*Each token works once.*keys exchange/);
    assert.doesNotMatch(second.output, /API key|This is a bug/);
    // By default, a token has to be for the service that it is sent to.
    writeFileSync(path.join(folder.path, 'main.tf'), `${hcl}provider "rolecall" { id_token_file = "${file}" }`);
    const other = await run(folder.path, ['plan', '-no-color'], {});
    assert.match(
      inOneLine(other.output),
      /has the audience https:\/\/workspace\.example\.com, and http:.* is expected/,
    );
    const audience = { ROLECALL_ID_TOKEN_AUDIENCE: 'https://workspace.example.com' };
    assert.match((await run(folder.path, ['plan', '-no-color'], audience)).output, /refuses the token/);
  });
});
