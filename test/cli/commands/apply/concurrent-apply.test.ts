import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { createKey } from '@rolecall/server';
import { withData } from '../../../../server/data/open-data.ts';
import { extendLease, selectLease } from '../../../../server/store/lease.ts';
import { isWrite } from '../../support/recording-proxy.ts';
import { runCommand, runProcess, startCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWorkspace, type TestWorkspace, team } from '../../support/workspace.ts';

const count = 20;

/** Snippets, whose names are not unique to the service, and people, whose names are. */
function writeDefinitions(folder: string): string {
  const header = 'apiVersion: rolecall.dev/v1alpha1\nkind: ';
  const documents = Array.from({ length: count }, (_, index) => [
    `${header}Snippet\nmetadata: {name: snippet-${index}}\nspec: {text: 'select ${index}'}\n`,
    `${header}Person\nmetadata: {name: person-${index}}\nspec: {name: Person ${index}, email: person-${index}@example.com}\n`,
  ]);
  writeFileSync(path.join(folder, 'access.yaml'), documents.flat().join('---\n'));
  return folder;
}

/** The same workspace with a key of its own, as another pipeline has it. */
async function otherKey({ dataDir, env }: TestWorkspace): Promise<Record<string, string>> {
  const { id, secret } = await createKey({ dataDir, scope: 'write' });
  return { ...env, ROLECALL_KEY_ID: id, ROLECALL_KEY_SECRET: secret };
}

describe('rolecall apply twice at the same moment', () => {
  it('makes everything once, and both succeed', async () => {
    await using workspace = await startWorkspace();
    const { env, client } = workspace;
    const runs = await Promise.all([1, 2].map(() => runCommand(['apply', team, '--yes'], { env })));
    for (const { code, stderr } of runs) assert.equal(code, 0, stderr);
    assert.equal((await client.call('listPermissions', {})).length, 1);
    assert.equal((await client.call('listSnippets', {})).length, 1);
    const plan = await runCommand(['plan', team, '--detailed-exitcode'], { env });
    assert.equal(plan.code, 0, plan.stdout);
  });

  it('makes everything once from two processes with keys of their own', async () => {
    await using workspace = await startWorkspace();
    using folder = temporaryFolder();
    const { env, client, proxy } = workspace;
    const definitions = writeDefinitions(folder.path);
    const envs = [env, await otherKey(workspace)];
    const runs = await Promise.all(envs.map((own) => runProcess(['apply', definitions, '--yes'], { env: own })));
    for (const { code, stderr } of runs) assert.equal(code, 0, stderr);
    assert.equal((await client.call('listSnippets', {})).length, count);
    assert.equal(proxy.calls.filter(isWrite).length, 2 * count);
  });

  it('waits for a run that was killed only until its lease ends, and names it meanwhile', async () => {
    await using workspace = await startWorkspace();
    const { env, dataDir, proxy } = workspace;
    const writing = Promise.withResolvers<undefined>();
    const never = new Promise<undefined>(() => undefined);
    proxy.intercept = (call) => {
      if (!isWrite(call)) return Promise.resolve(undefined);
      writing.resolve(undefined);
      return never;
    };
    const killed = startCommand(['apply', team, '--yes'], { env });
    await writing.promise;
    killed.child.kill('SIGKILL');
    await killed.finished;
    proxy.intercept = () => Promise.resolve(undefined);

    const apply = ['apply', team, '--yes'];
    const refused = await runCommand([...apply, '--lease-timeout', '0'], { env: await otherKey(workspace) });
    assert.equal(refused.code, 1);
    const holder = `"rolecall apply, .*, process ${killed.child.pid ?? ''}"`;
    assert.match(refused.stderr, new RegExp(`another run is under way: ${holder} holds the lease since .*, until `));
    assert.match(refused.stderr, /Nothing was written\..*--lease-timeout/);

    // What is left of its half minute is shortened, not what follows.
    const end = new Date(Date.now() + 6000).toISOString();
    await withData({ dataDir, environment: {} }, ({ store }) =>
      store.write([], async (executor) => {
        await extendLease(executor, (await selectLease(executor))!.id, end);
      }),
    );
    const waited = await runCommand(apply, { env });
    assert.equal(waited.code, 0, waited.stderr);
    assert.match(waited.stderr, /^warning: another run is under way: .* Waiting for it\n$/);
    assert.equal((await workspace.client.call('listSnippets', {})).length, 1);
    assert.deepEqual(await workspace.client.call('readLease', {}), { lease: null });
  });
});
