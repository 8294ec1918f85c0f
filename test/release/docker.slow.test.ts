import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { root } from '../cli/support/run-command.ts';
import { readDockerfile } from './docker.ts';

/** There need be no container engine: the commands of the Dockerfile are run in folders of their own. */
describe('the commands of the Dockerfile', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'rolecall-docker-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('build a command line that starts', () => {
    const instructions = readDockerfile();
    const second = instructions.findLastIndex(({ instruction }) => instruction === 'FROM');
    const place = (text: string): string => text.replaceAll(/\/(packages|app|src)\b/g, `${folder}/$1`);
    const source = place('/src');
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, source]);
    // How this machine reaches npm is its own affair; what npm told the tests that it started is not for another npm.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^npm_(package|lifecycle)/.test(name)),
    );
    for (const { instruction, rest } of instructions.slice(0, second))
      if (instruction === 'RUN') execFileSync('sh', ['-ec', place(rest)], { cwd: source, env, stdio: 'pipe' });
    const entry = instructions.find(({ instruction }) => instruction === 'ENTRYPOINT')?.rest ?? '[]';
    const [program = '', ...args] = (JSON.parse(entry) as string[]).map(place);
    const run = (...more: string[]) =>
      execFileSync(program, [...args, ...more], { cwd: folder, env, encoding: 'utf8' });
    assert.match(run('--version'), /^\d+\.\d+\.\d+\n$/);
    assert.match(run('operator', '--help'), /--health-probe-bind-address/);
    assert.match(run('serve', '--help'), /--data-dir|--database-url/);
  });
});
