import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertApplyResult } from '../../support/plan-schema.ts';
import { isWrite } from '../support/recording-proxy.ts';
import { runCommand, startCommand, startInProcess } from '../support/run-command.ts';
import { startWorkspace, type TestWorkspace, team } from '../support/workspace.ts';

describe('Ctrl-C', () => {
  let workspace: TestWorkspace;
  beforeEach(async () => {
    workspace = await startWorkspace();
  });
  afterEach(() => workspace[Symbol.asyncDispose]());

  /** Holds calls back until released, and tells of the first that comes. */
  function holdBack(isHeld: (call: string) => boolean): { came: Promise<void>; release: () => void } {
    const came = Promise.withResolvers<undefined>();
    const released = Promise.withResolvers<undefined>();
    workspace.proxy.intercept = async (call) => {
      if (!isHeld(call)) return undefined;
      came.resolve(undefined);
      await released.promise;
      return undefined;
    };
    return {
      came: came.promise,
      release: () => {
        released.resolve(undefined);
      },
    };
  }

  it('lets the calls in flight end, says what was done and what not, and ends with 130', async () => {
    const { came, release } = holdBack(isWrite);
    const { signal, finished } = startInProcess(['apply', team, '--yes', '--concurrency', '2'], {
      env: workspace.env,
    });
    await came;
    signal('SIGINT');
    await sleep(200);
    release();
    const { code, stdout, stderr } = await finished;
    assert.equal(code, 130);
    const done = workspace.proxy.calls.filter(isWrite).length;
    assert.ok(done >= 1 && done <= 2, String(done));
    assert.match(stderr, /finishing the requests in flight; press again to stop at once/);
    assert.match(stdout, /Not run:\n {2}because the run was interrupted:\n/);
    assert.match(stdout, new RegExp(`Interrupted: ${done} of 8 calls done, 0 failed, ${8 - done} not run`));
    workspace.proxy.intercept = () => Promise.resolve(undefined);
    const again = await runCommand(['apply', team, '--yes'], { env: workspace.env });
    assert.equal(again.code, 0);
    assert.match(again.stdout, new RegExp(`Applied: ${8 - done} calls`));
  });

  it('stops at once the second time', async () => {
    const { came, release } = holdBack(isWrite);
    const { child, finished } = startCommand(['apply', team, '--yes'], { env: workspace.env });
    await came;
    const told = once(child.stderr!, 'data');
    child.kill('SIGINT');
    // The signal that npm passes on right after the terminal's own is not a second one.
    child.kill('SIGINT');
    await told;
    await sleep(700);
    assert.equal(child.exitCode, null);
    child.kill('SIGINT');
    const { code, stderr } = await finished;
    release();
    assert.equal(code, 130);
    assert.match(stderr, /stopped at once; requests in flight may have been carried out/);
  });

  for (const [phase, name, isCall] of [
    ['while it takes the lease', 'SIGINT', (call) => call === 'POST /api/v2/lease'],
    ['while it plans', 'SIGINT', (call) => call.includes('/snapshot')],
    ['while it plans, by SIGTERM', 'SIGTERM', (call) => call.includes('/snapshot')],
    ['while it writes', 'SIGTERM', isWrite],
  ] satisfies [string, NodeJS.Signals, (call: string) => boolean][]) {
    it(`gives the lease on the workspace back, ${phase}`, async () => {
      const { came, release } = holdBack(isCall);
      const { child, finished } = startCommand(['apply', team, '--yes'], { env: workspace.env });
      await came;
      child.kill(name);
      // Where it goes on, it says so or waits for this one answer.
      await Promise.race([finished, once(child.stderr!, 'data'), sleep(1_000)]);
      release();
      assert.equal((await finished).code, 130);
      assert.deepEqual(await workspace.client.call('readLease', {}), { lease: null });
      const ways = workspace.proxy.calls.filter((call) => call.includes('/lease'));
      assert.deepEqual([ways.length, ways.at(-1)?.split(' ')[0]], [2, 'DELETE']);
    });
  }

  it('abandons what is being read', async () => {
    const { came, release } = holdBack(() => true);
    const { signal, finished } = startInProcess(['plan', team], { env: workspace.env });
    await came;
    signal('SIGTERM');
    const { code, stdout, stderr } = await finished;
    release();
    assert.deepEqual([code, stdout, stderr], [130, '', 'error: interrupted; nothing was written\n']);
  });

  it('leaves one JSON document, which says that it was interrupted', async () => {
    const { came, release } = holdBack(isWrite);
    const { signal, finished } = startInProcess(['apply', team, '--yes', '--format', 'json'], { env: workspace.env });
    await came;
    signal('SIGINT');
    await sleep(200);
    release();
    const { code, stdout, stderr } = await finished;
    assert.equal(code, 130);
    assertApplyResult(JSON.parse(stdout));
    assert.equal((JSON.parse(stdout) as { outcome: string }).outcome, 'interrupted');
    for (const line of stderr.trim().split('\n')) JSON.parse(line);
  });
});
