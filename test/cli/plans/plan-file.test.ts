import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { runCommand } from '../support/run-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWorkspace, type TestWorkspace, team } from '../support/workspace.ts';

describe('the file of a saved plan', () => {
  let workspace: TestWorkspace;
  let folder: ReturnType<typeof temporaryFolder>;
  before(async () => {
    workspace = await startWorkspace();
  });
  after(() => workspace[Symbol.asyncDispose]());
  beforeEach(() => {
    folder = temporaryFolder();
    workspace.proxy.calls.length = 0;
  });
  afterEach(() => {
    folder[Symbol.dispose]();
  });

  it('is not standard output, and nothing is called for it', async () => {
    const options = { env: workspace.env, cwd: folder.path };
    const { code, stderr } = await runCommand(['plan', team, '--out', '-'], options);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^error: --out - names no file: --format json prints the plan; to save one that apply can run/,
    );
    assert.deepEqual([readdirSync(folder.path), workspace.proxy.calls], [[], []]);
  });
});
