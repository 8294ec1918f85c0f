import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { runCommand, runProcess } from '../support/run-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { team, useWorkspace } from '../support/workspace.ts';

describe('the file of a saved plan', () => {
  const workspace = useWorkspace();
  let folder: ReturnType<typeof temporaryFolder>;
  let file: string;
  beforeEach(() => {
    folder = temporaryFolder();
    file = path.join(folder.path, 'plan.json');
    workspace.proxy.calls.length = 0;
  });
  afterEach(() => {
    folder[Symbol.dispose]();
  });

  it('is not standard output, and nothing is called for it', async () => {
    const options = { env: workspace.env, cwd: folder.path };
    const { code, stderr } = await runProcess(['plan', team, '--out', '-'], options);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^error: --out - names no file: --format json prints the plan; to save one that apply can run/,
    );
    assert.deepEqual([readdirSync(folder.path), workspace.proxy.calls], [[], []]);
  });

  it('is told from definitions by show, which says what to do with those', async () => {
    const definition = { apiVersion: 'rolecall.dev/v1alpha1', kind: 'Person', metadata: { name: 'ada' } };
    for (const text of ['# Ours\n---\napiVersion: rolecall.dev/v1alpha1\n', JSON.stringify(definition)]) {
      writeFileSync(file, text);
      const { code, stderr } = await runCommand(['show', file]);
      assert.equal(code, 1);
      assert.match(
        stderr,
        /plan\.json: it contains definitions, not a saved plan\. "rolecall plan .* --out FILE" saves/,
      );
    }
  });

  it('may begin with a byte order mark, which some editors write', async () => {
    const { env } = workspace;
    await runCommand(['plan', team, '--out', file], { env });
    writeFileSync(file, `\uFEFF${readFileSync(file, 'utf8')}`);
    const shown = await runCommand(['show', file]);
    assert.equal(shown.code, 0, shown.stderr);
    assert.match((await runCommand(['apply', file, '--yes'], { env })).stdout, /Applied: 8 calls/);
  });
});
