import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { type Finished, runCommand, runProcess } from '../support/run-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { useWorkspace } from '../support/workspace.ts';

const person = `apiVersion: rolecall.dev/v1alpha1
kind: Person
metadata: { name: ada }
spec: { name: Ada Lovelace, email: ada@team.example }
`;

const workspaceOf = (name: string, spec: object): string =>
  `---\napiVersion: rolecall.dev/v1alpha1\nkind: Workspace\nmetadata: { name: ${name} }\nspec: ${JSON.stringify(spec)}\n`;

describe('finding the workspace', () => {
  const workspace = useWorkspace();
  beforeEach(() => {
    workspace.proxy.calls.length = 0;
  });

  /** Plans a definition of one person, with a Workspace or without; where there are files, from the folder that they are in. */
  async function plan(
    declared: string,
    env: Record<string, string> = {},
    { args = [], files = {} }: { args?: string[]; files?: Record<string, string> } = {},
  ): Promise<Finished> {
    using folder = temporaryFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder.path, name), text);
    writeFileSync(path.join(folder.path, 'access.yaml'), person + declared);
    const run = Object.keys(files).length > 0 ? runProcess : runCommand;
    return await run(['plan', path.join(folder.path, 'access.yaml'), ...args], { env, cwd: folder.path });
  }
  const key = (): string => JSON.stringify({ id: workspace.keyId, secret: workspace.keySecret });
  const fine = ({ code, stderr }: Finished): void => {
    assert.equal(code, 0, stderr);
    assert.ok(workspace.proxy.calls.length > 0);
  };
  const fails = ({ code, stderr }: Finished, message: RegExp, lines = 1): void => {
    assert.equal(code, 1);
    assert.match(stderr, message);
    // Without the lines of the file that are shown.
    const told = stderr
      .trim()
      .split('\n')
      .filter((line) => !/^ +\d* \|/.test(line));
    assert.equal(told.length, lines, stderr);
    assert.ok(!stderr.includes(workspace.keySecret));
    assert.deepEqual(workspace.proxy.calls, []);
  };

  it('says where a file of authorities is named that cannot be read, unless another one counts', async () => {
    const { env } = workspace;
    const declared = workspaceOf('team', { caFile: 'none.pem' });
    const message = /access\.yaml:9:17 error: spec\.caFile names .*none\.pem, which cannot be read: .*\[text_file\]/;
    fails(await plan(declared, env), message, 2);
    fails(await plan(workspaceOf('team', { caFile: '.' }), env), /spec\.caFile names .*, which is not a file/, 2);
    fails(await plan(declared, { ...env, ROLECALL_CA_FILE: 'other.pem' }), /other\.pem cannot be read/);
  });

  it('takes flags before the environment before the definition', async () => {
    const { proxy, keyId, keySecret } = workspace;
    const right = { ROLECALL_URL: proxy.url, ROLECALL_KEY_ID: keyId, ROLECALL_KEY_SECRET: keySecret };
    fine(await plan(workspaceOf('team', { url: 'http://127.0.0.1:1' }), right));
    const wrong = { ROLECALL_URL: 'http://127.0.0.1:1', ROLECALL_KEY_ID: 'wrong', ROLECALL_KEY_SECRET: 'wrong' };
    const args = ['--url', proxy.url, '--key-id', keyId, '--key-secret-file', 'secret'];
    fine(await plan('', wrong, { args, files: { secret: `${keySecret}\n` } }));
  });

  it('takes the JSON of keys create for --key-secret-file', async () => {
    const args = ['--key-secret-file', 'key.json'];
    fine(await plan('', { ROLECALL_URL: workspace.proxy.url }, { args, files: { 'key.json': key() } }));
  });

  it('takes credentials from variables, a file or a stand-in for a Secret that the definition names', async () => {
    const { url } = workspace.proxy;
    const { keyId, keySecret } = workspace;
    const variables = workspaceOf('team', {
      url,
      credentialsFrom: { env: { keyId: 'TEAM_ID', keySecret: 'TEAM_KEY' } },
    });
    fine(await plan(variables, { TEAM_ID: keyId, TEAM_KEY: keySecret }));
    const file = workspaceOf('team', { url, credentialsFrom: { file: 'key.json' } });
    fine(await plan(file, {}, { files: { 'key.json': key() } }));
    const secret = workspaceOf('team', { url, credentialsFrom: { secretKeyRef: { name: 'team-key' } } });
    fine(await plan(secret, { ROLECALL_SECRET_TEAM_KEY_ID: keyId, ROLECALL_SECRET_TEAM_KEY_SECRET: keySecret }));
  });

  it('refuses what is no part of a key before anything is called', async () => {
    const { env, keyId, keySecret, proxy } = workspace;
    fails(await plan('', { ...env, ROLECALL_KEY_ID: `${keyId}@api` }), /^error: ROLECALL_KEY_ID ends in @api\. Remove/);
    const variables = { keyId: 'TEAM_ID', keySecret: 'TEAM_KEY' };
    const declared = workspaceOf('team', { url: proxy.url, credentialsFrom: { env: variables } });
    const both = await plan(declared, { TEAM_ID: `${keyId}@api`, TEAM_KEY: `${keySecret} ` });
    const place = String.raw`access\.yaml:9:\d+ error: spec\.credentialsFrom\.env\.`;
    fails(both, new RegExp(`${place}keyId is read from the environment variable TEAM_ID, which ends in @api`), 3);
    fails(both, new RegExp(`${place}keySecret is read from .* TEAM_KEY, which begins or ends with white space`), 3);
  });

  it('names each piece that is missing', async () => {
    const { url } = workspace.proxy;
    fails(await plan(''), /set ROLECALL_URL, give --url, or declare url in a Workspace/);
    fails(await plan('', { ROLECALL_URL: url }), /the API key is missing: set ROLECALL_KEY_ID and ROLECALL_KEY_SECRET/);
    fails(
      await plan('', { ROLECALL_URL: url, ROLECALL_KEY_ID: 'x' }),
      /the secret of the API key is missing, but its id is set: set ROLECALL_KEY_SECRET/,
    );
    fails(
      await plan('', { ROLECALL_URL: url, ROLECALL_KEY_SECRET: workspace.keySecret }),
      /the id of the API key is missing, but its secret is set: set ROLECALL_KEY_ID/,
    );
    const secret = workspaceOf('team', { url, credentialsFrom: { secretKeyRef: { name: 'team-key' } } });
    const unset = (field: string, name: string): RegExp =>
      new RegExp(
        `access\\.yaml:9:\\d+ error: spec\\.credentialsFrom\\.${field} .*Set the environment variable ${name}\\.`,
      );
    const ofSecret = await plan(secret);
    fails(ofSecret, unset('secretKeyRef', 'ROLECALL_SECRET_TEAM_KEY_ID'), 3);
    fails(ofSecret, unset('secretKeyRef', 'ROLECALL_SECRET_TEAM_KEY_SECRET'), 3);
    const variables = { url, credentialsFrom: { env: { keyId: 'TEAM_ID', keySecret: 'TEAM_KEY' } } };
    fails(await plan(workspaceOf('team', variables), { TEAM_ID: 'x' }), unset('env\\.keySecret', 'TEAM_KEY'), 2);
    const file = workspaceOf('team', { url, credentialsFrom: { file: 'key.json' } });
    fails(
      await plan(file),
      /access\.yaml:9:\d+ error: spec\.credentialsFrom\.file names .*key\.json, which cannot be read: /,
      2,
    );
    const noJson = await plan(file, {}, { files: { 'key.json': workspace.keySecret } });
    fails(
      noJson,
      /names .*key\.json, which is not JSON with id and secret\. Write the file with rolecall keys create/,
      2,
    );
  });

  it('refuses an address that is none or carries a password, and never repeats it', async () => {
    const faults = {
      'workspace.example': /url is not a URL/,
      'http://ada:s3cr3t@team.invalid': /url contains credentials/,
    };
    for (const [url, fault] of Object.entries(faults)) {
      const finished = await plan('', { ROLECALL_URL: url, ROLECALL_KEY_ID: 'x', ROLECALL_KEY_SECRET: 'y' });
      fails(finished, new RegExp(`^error: ROLECALL_URL cannot be used: ${fault.source}`));
      assert.ok(!(finished.stdout + finished.stderr).includes('s3cr3t'));
    }
  });

  it('takes an address without the white space around it, wherever it stands', async () => {
    const { env, proxy } = workspace;
    const spaced = ` ${proxy.url} \n`;
    const inDefinition = workspaceOf('team', { url: `${proxy.url} ` });
    const runs = [
      plan('', { ...env, ROLECALL_URL: spaced }),
      plan('', env, { args: ['--url', spaced] }),
      plan(inDefinition, { ...env, ROLECALL_URL: '' }),
    ];
    for (const finished of await Promise.all(runs)) {
      fine(finished);
      assert.match(finished.stdout, /^Workspace (?:team \()?http:\S+\d\)?$/m);
    }
  });

  it('has several Workspaces told apart by --workspace', async () => {
    const { keyId, keySecret, proxy } = workspace;
    const env = { ROLECALL_KEY_ID: keyId, ROLECALL_KEY_SECRET: keySecret };
    const both = workspaceOf('team', { url: proxy.url }) + workspaceOf('staging', { url: 'http://127.0.0.1:1' });
    const placed = person.replace('email: ada@team.example', 'email: ada@team.example, workspaceRef: team');
    using folder = temporaryFolder();
    writeFileSync(path.join(folder.path, 'access.yaml'), placed + both);
    const run = (...args: string[]): Promise<Finished> => runCommand(['plan', folder.path, ...args], { env });
    fails(await run(), /choose one with --workspace \(team, staging\)/);
    fails(await run('--workspace', 'prod'), /no Workspace is named prod: declared are team, staging/);
    fine(await run('--workspace', 'team'));
  });

  it('takes no definitions of the Workspace that --workspace chose to where ROLECALL_URL leads, unless --url says so', async () => {
    const { env, proxy } = workspace;
    const declared = workspaceOf('team', { url: 'http://127.0.0.1:1' });
    const args = ['--workspace', 'team'];
    const two =
      /^error: --workspace team leads to http:\/\/127\.0\.0\.1:1, and ROLECALL_URL to http.*\. Unset ROLECALL_URL, or give --url/;
    fails(await plan(declared, env, { args }), two);
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'access.yaml');
    writeFileSync(file, person + declared);
    const out = path.join(folder.path, 'out');
    for (const command of [
      ['apply', '--yes'],
      ['report', 'access'],
      ['report', 'expiring'],
      ['export', '--out', out],
    ]) {
      fails(await runCommand([...command, file, ...args], { env }), two);
    }
    fine(await plan(declared, env, { args: [...args, '--url', proxy.url] }));
    fine(await plan(declared, env));
    const same = `${proxy.url.replace('http:', 'HTTP:')}/`;
    fine(await plan(workspaceOf('team', { url: proxy.url }), { ...env, ROLECALL_URL: same }, { args }));
    fine(await plan(workspaceOf('team', {}), env, { args }));
  });

  it('warns that a key goes unencrypted to another machine', async () => {
    const env = { ROLECALL_URL: 'http://workspace.invalid', ROLECALL_KEY_ID: 'x', ROLECALL_KEY_SECRET: 'y' };
    const { code, stderr } = await plan('', env);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^warning: http:\/\/workspace\.invalid is plain HTTP to another machine: the API key is sent unencrypted/,
    );
  });
});
