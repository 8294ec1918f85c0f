import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runCommand } from '../../support/run-command.ts';
import { startWorkspace, team } from '../../support/workspace.ts';

it('rolecall apply twice at the same moment makes everything once, and both succeed', async () => {
  await using workspace = await startWorkspace();
  const { env, client } = workspace;
  const runs = await Promise.all([1, 2].map(() => runCommand(['apply', team, '--yes'], { env })));
  for (const { code, stderr } of runs) assert.equal(code, 0, stderr);
  assert.equal((await client.call('listPermissions', {})).length, 1);
  assert.equal((await client.call('listSnippets', {})).length, 1);
  const plan = await runCommand(['plan', team, '--detailed-exitcode'], { env });
  assert.equal(plan.code, 0, plan.stdout);
});
