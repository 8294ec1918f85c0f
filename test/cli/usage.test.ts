import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { root, runCommand, runProcess } from './support/run-command.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const noFullDevice = existsSync('/dev/full') ? false : 'there is no /dev/full here';

const commands = [
  'serve',
  'keys create',
  'keys exchange',
  'keys list',
  'keys revoke',
  'keys rotate',
  'seed',
  'validate',
  'plan',
  'show',
  'apply',
  'anchor',
  'export',
  'report access',
  'report expiring',
  'schema',
  'demo',
];

describe('rolecall', () => {
  it('has help with an example for every command', async () => {
    const helps = await Promise.all(commands.map((command) => runCommand([...command.split(' '), '--help'])));
    for (const [index, { code, stdout }] of helps.entries()) {
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`Example:\n {2}.*rolecall ${commands[index] ?? ''}`));
    }
  });

  it('tells its version', async () => {
    const manifest = JSON.parse(readFileSync(path.join(root, 'cli/package.json'), 'utf8')) as { version: string };
    const { code, stdout } = await runCommand(['--version']);
    assert.deepEqual([code, stdout], [0, `${manifest.version}\n`]);
  });

  it('suggests what may have been meant, and ends with 1', async () => {
    const command = await runCommand(['aply', 'x']);
    assert.equal(command.code, 1);
    assert.match(command.stderr, /unknown command 'aply'\n\(Did you mean apply\?\)/);
    const option = await runCommand(['plan', 'x', '--overide', 'y']);
    assert.equal(option.code, 1);
    assert.match(option.stderr, /unknown option '--overide'\n\(Did you mean --override\?\)/);
  });

  it('ends with 1 and help when no command is given', async () => {
    const { code, stderr } = await runCommand([]);
    assert.equal(code, 1);
    assert.match(stderr, /Usage: rolecall/);
  });

  it('tells wrong usage as JSON where JSON is asked for', async () => {
    const { code, stdout, stderr } = await runCommand(['plan', 'x', '--format', 'json', '--nope']);
    assert.deepEqual([code, stdout], [1, '']);
    assert.equal((JSON.parse(stderr) as { error: { code: string } }).error.code, 'ERR_USAGE');
  });

  it('refuses a number of calls side by side that is none', async () => {
    const { code, stderr } = await runCommand(['apply', 'x', '--concurrency', '0']);
    assert.equal(code, 1);
    assert.match(stderr, /--concurrency .*whole number from 1 to 64/);
  });

  it('ends with 1 and says so, without a stack, when its output cannot be written', {
    skip: noFullDevice,
  }, async () => {
    for (const [format, said] of [
      ['text', /^error: not all of the output could be written \(the disk is full\)/],
      ['json', /^\{"error":\{"code":"ERR_OUTPUT"/],
    ] as const) {
      const args = ['validate', 'test/cli/fixtures/team', '--format', format];
      const { code, stderr } = await runProcess(args, { stdout: '/dev/full' });
      assert.equal(code, 1);
      assert.match(stderr, said);
      assert.doesNotMatch(stderr, /^ {4}at /m);
    }
  });

  it('shows the stack of an error only when asked', async () => {
    const args = ['seed', 'no-such-file.yaml', '--data', '/nowhere'];
    const quiet = await runCommand(args);
    assert.match(quiet.stderr, /^error: no-such-file\.yaml: there is no such file or folder\n$/);
    for (const loud of [
      await runCommand([...args, '--debug']),
      await runCommand(args, { env: { ROLECALL_DEBUG: '1' } }),
    ]) {
      assert.equal(loud.code, 1);
      assert.match(loud.stderr, /^ {4}at .*seed\/seed\.ts/m);
    }
  });

  it('loads only what a command needs', async () => {
    using folder = temporaryFolder();
    const list = path.join(folder.path, 'modules');
    const preload = path.join(root, 'test/cli/support/list-modules.ts');
    const modulesOf = async (...args: string[]): Promise<string> => {
      const env = { NODE_OPTIONS: `--import ${preload}`, LIST_MODULES: list };
      writeFileSync(list, '');
      await runProcess(args, { env });
      return readFileSync(list, 'utf8');
    };
    assert.doesNotMatch(await modulesOf('--help'), /\/(zod|undici|fastify|yaml)\//);
    const plan = await modulesOf('plan', 'test/cli/fixtures/team');
    assert.match(plan, /\/yaml\//);
    assert.doesNotMatch(plan, /\/(fastify|pino|kysely)\/|\/server\//);
    const keys = await modulesOf('keys', 'list', '--data', path.join(folder.path, 'nothing'));
    assert.match(keys, /\/kysely\//);
    assert.doesNotMatch(keys, /\/(fastify|mysql2)\//);
  });
});
