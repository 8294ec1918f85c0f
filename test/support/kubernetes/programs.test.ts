import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { until } from './admin-client.ts';
import { runTool } from './programs.ts';

describe('a build for tests', () => {
  it('takes its compilers along when it is interrupted', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'rolecall-build-'));
    const interrupted = new AbortController();
    // A shell that starts a child and waits for it, as Go does with its compilers.
    const build = runTool('sh', ['-c', 'sleep 600 & echo $! > child; wait'], { cwd: folder }, interrupted.signal);
    const ended = assert.rejects(build, /interrupted by a test/);
    let child = 0;
    await until(async () => {
      child = Number(await readFile(path.join(folder, 'child'), 'utf8').catch(() => ''));
      return child > 0;
    });
    interrupted.abort(new Error('interrupted by a test'));
    await ended;
    await until(async () => !(await isAlive(child)));
    await rm(folder, { recursive: true });
  });

  it('says what Go said where it fails', async () => {
    await assert.rejects(runTool('sh', ['-c', 'echo no such module >&2; exit 1'], {}), /no such module/);
  });
});

/** A killed process that no one has waited for yet is dead all the same. */
async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return status !== '' && !status.includes('State:\tZ');
}
