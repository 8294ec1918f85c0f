import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { noTerminal, runOnRealTerminal, runOnTerminal } from '../../support/on-terminal.ts';
import { isWrite } from '../../support/recording-proxy.ts';
import { runCommand } from '../../support/run-command.ts';
import { startWorkspace, type TestWorkspace, team } from '../../support/workspace.ts';

const question = "Only 'yes' is accepted: ";

describe('rolecall apply on a terminal', () => {
  let workspace: TestWorkspace;
  beforeEach(async () => {
    workspace = await startWorkspace();
  });
  afterEach(() => workspace[Symbol.asyncDispose]());
  const writes = (): number => workspace.proxy.calls.filter(isWrite).length;

  it('asks, and applies after yes, in colour and with a bar', { skip: noTerminal }, async () => {
    const { code, shown } = await runOnRealTerminal(['apply', team], workspace.env, [[question, 'yes\n']]);
    assert.equal(code, 0, shown);
    assert.match(shown, /\u001b\[32m {2}\+\u001b\[39m/);
    assert.match(shown, /\[=+> *\] \d\/8/);
    assert.match(shown, /Applied: 8 calls/);
    assert.equal(writes(), 8);
  });

  it('says before it asks what is taken away', async () => {
    assert.equal((await runCommand(['apply', team, '--yes'], { env: workspace.env })).code, 0);
    const [ada] = await workspace.client.call('listPeople', {});
    const { id: dataSource } = (await workspace.client.call('listDataSources', {}))[0]!;
    const params = { person: ada!.id, dataSource };
    for (const duration of [60, 120]) await workspace.client.call('createPermission', { params, body: { duration } });
    const { shown } = await runOnTerminal(['apply', team], workspace.env, [[question, 'no\n']]);
    assert.match(shown, /2 to revoke or remove \(2 calls\)\. It ends 2 permissions\./);
    assert.match(shown, /This plan ends 2 permissions\.\s+Apply these changes\?/);
  });

  it('writes nothing when the workspace has moved on between the plan and the yes', async () => {
    let readings = 0;
    workspace.proxy.intercept = async (call) => {
      if (call !== 'POST /api/v2/snapshot') return undefined;
      readings += 1;
      if (readings === 2) {
        await workspace.client.call('createPerson', {
          body: { name: 'Grace Hopper', email: 'grace@team.example', username: 'grace' },
        });
      }
      return undefined;
    };
    const { code, shown } = await runOnTerminal(['apply', team], workspace.env, [[question, 'yes\n']]);
    assert.equal(code, 1, shown);
    assert.match(shown, /a different plan than the reviewed one would run\. Nothing was written\. Run apply again/);
    assert.equal(writes(), 0);
    const again = await runOnTerminal(['apply', team], workspace.env, [[question, 'yes\n']]);
    assert.equal(again.code, 0, again.shown);
    assert.equal(writes(), 7);
  });

  it('reads nothing twice when it need not ask', async () => {
    assert.equal((await runOnTerminal(['apply', team, '--yes'], workspace.env)).code, 0);
    const readings = workspace.proxy.calls.filter((call) => !isWrite(call));
    assert.deepEqual(readings, [...new Set(readings)]);
  });

  for (const answer of ['y\n', 'no\n', '\n']) {
    it(`writes nothing after ${JSON.stringify(answer)}`, async () => {
      const { code, shown } = await runOnTerminal(['apply', team], workspace.env, [[question, answer]]);
      assert.equal(code, 1);
      assert.match(shown, /not confirmed; nothing was written/);
      assert.equal(writes(), 0);
    });
  }

  it('writes nothing when Ctrl-D is the answer', { skip: noTerminal }, async () => {
    const { code, shown } = await runOnRealTerminal(['apply', team], workspace.env, [[question, '\u0004']]);
    assert.equal(code, 1);
    assert.match(shown, /not confirmed; nothing was written/);
    assert.equal(writes(), 0);
  });

  it('ends with 130 when Ctrl-C is the answer', { skip: noTerminal }, async () => {
    const { code, shown } = await runOnRealTerminal(['apply', team], workspace.env, [[question, '\u0003']]);
    assert.equal(code, 130);
    assert.match(shown, /interrupted; nothing was written/);
    assert.equal(writes(), 0);
  });

  /** Lets one call that writes through, and the others only once released. */
  function holdAfterFirst(): () => void {
    const released = Promise.withResolvers<undefined>();
    workspace.proxy.intercept = async () => {
      if (writes() > 1) await released.promise;
      return undefined;
    };
    return () => {
      released.resolve(undefined);
    };
  }
  const oneByOne = ['apply', team, '--yes', '--concurrency', '1'];

  it('finishes the call in flight at Ctrl-C, says what was done and what was not, and ends with 130', {
    skip: noTerminal,
  }, async () => {
    const release = holdAfterFirst();
    const { code, shown } = await runOnRealTerminal(oneByOne, workspace.env, [['1/8', '\u0003']], (soFar) => {
      if (soFar.includes('press again to stop at once')) release();
    });
    release();
    assert.equal(code, 130, shown);
    assert.match(shown, /Not run:.*\n {2}because the run was interrupted:/);
    assert.match(shown, /Interrupted: 2 of 8 calls done, 0 failed, 6 not run/);
    assert.equal(writes(), 2);
  });

  it('stops at once at the second Ctrl-C', { skip: noTerminal }, async () => {
    const release = holdAfterFirst();
    const { code, shown } = await runOnRealTerminal(oneByOne, workspace.env, [
      ['1/8', '\u0003'],
      // What npm passes on of the first one comes at once, and is no second one.
      ['press again to stop at once', '\u0003', 0.7],
    ]);
    release();
    assert.equal(code, 130, shown);
    assert.match(shown, /stopped at once; requests in flight may have been carried out/);
    assert.doesNotMatch(shown, /2\/8/);
  });

  it('does not ask when there is nothing to do, or when it was told not to', async () => {
    const told = await runOnTerminal(['apply', team, '--yes'], workspace.env);
    assert.equal(told.code, 0);
    const idle = await runOnTerminal(['apply', team], workspace.env);
    assert.equal(idle.code, 0);
    assert.ok(!(told.shown + idle.shown).includes(question));
  });

  it('shows no colour where NO_COLOR is set', async () => {
    const { shown } = await runOnTerminal(['plan', team], { ...workspace.env, NO_COLOR: '1' });
    assert.match(shown, /Plan: 5 to create/);
    assert.ok(!shown.includes('\u001b'));
  });
});
