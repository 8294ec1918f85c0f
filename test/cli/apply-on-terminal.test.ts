import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { noTerminal, runOnTerminal } from './support/on-terminal.ts';
import { startWorkspace, type TestWorkspace, team } from './support/workspace.ts';

const question = "Only 'yes' is accepted: ";

describe('rolecall apply on a terminal', { skip: noTerminal }, () => {
  let workspace: TestWorkspace;
  beforeEach(async () => {
    workspace = await startWorkspace();
  });
  afterEach(() => workspace[Symbol.asyncDispose]());
  const writes = (): number => workspace.proxy.calls.filter((call) => !call.startsWith('GET ')).length;

  it('asks, and applies after yes, in colour and with a bar', async () => {
    const { code, shown } = await runOnTerminal(['apply', team], workspace.env, [[question, 'yes\n']]);
    assert.equal(code, 0, shown);
    assert.match(shown, /\u001b\[32m {2}\+\u001b\[39m/);
    assert.match(shown, /\[=+> *\] \d\/8/);
    assert.match(shown, /Applied: 8 calls/);
    assert.equal(writes(), 8);
  });

  it('writes nothing when the workspace has moved on between the plan and the yes', async () => {
    let readings = 0;
    workspace.proxy.intercept = async (call) => {
      if (!call.startsWith('GET /api/v2/person')) return undefined;
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
    assert.match(shown, /what was reviewed is not what would run; nothing was written: run apply again/);
    assert.equal(writes(), 0);
    const again = await runOnTerminal(['apply', team], workspace.env, [[question, 'yes\n']]);
    assert.equal(again.code, 0, again.shown);
    assert.equal(writes(), 7);
  });

  it('reads nothing twice when it need not ask', async () => {
    assert.equal((await runOnTerminal(['apply', team, '--yes'], workspace.env)).code, 0);
    const readings = workspace.proxy.calls.filter((call) => call.startsWith('GET '));
    assert.deepEqual(readings, [...new Set(readings)]);
  });

  for (const answer of ['y\n', 'no\n', '\n', '\u0004']) {
    it(`writes nothing after ${JSON.stringify(answer)}`, async () => {
      const { code, shown } = await runOnTerminal(['apply', team], workspace.env, [[question, answer]]);
      assert.equal(code, 1);
      assert.match(shown, /not confirmed; nothing was written/);
      assert.equal(writes(), 0);
    });
  }

  it('ends with 130 when Ctrl-C is the answer', async () => {
    const { code, shown } = await runOnTerminal(['apply', team], workspace.env, [[question, '\u0003']]);
    assert.equal(code, 130);
    assert.match(shown, /interrupted; nothing was written/);
    assert.equal(writes(), 0);
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
