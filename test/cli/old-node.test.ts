import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, it } from 'node:test';
import { root } from './support/run-command.ts';

/** Node names itself so before anything of the command line runs, and lacks what Node 20 lacks. */
const old = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
Object.defineProperty(process.versions, 'node', { value: '20.20.2' });
registerHooks({
  resolve: (name, context, next) => {
    if (name !== 'node:module') return next(name, context);
    return { url: 'data:text/javascript,export const isBuiltin = true', shortCircuit: true };
  },
});`)}`;

describe('the command line on an old Node', () => {
  it('says which one it needs, before it loads what that Node cannot link', () => {
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      ['--conditions=source', `--import=${old}`, path.join(root, 'cli/main.ts'), '--version'],
      { encoding: 'utf8' },
    );
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, /^error: rolecall needs Node 24 or newer, and this is 20\.20\.2\. Install a newer one.*\n$/);
  });
});
