import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';
import { shareProcesses } from './shared-processes.ts';

it('files that share a process keep what they opened until their own tests have ended', async () => {
  using folder = temporaryFolder();
  const write = (name: string, text: string): string => {
    const file = path.join(folder.path, name);
    writeFileSync(file, text);
    return file;
  };
  const files = [
    write('quick.test.mjs', "import { it } from 'node:test';\nit('ends at once', () => undefined);\n"),
    write(
      'loading.test.mjs',
      `import { after, it } from 'node:test';
let isOpen = true;
after(() => {
  isOpen = false;
});
await new Promise((resolve) => setTimeout(resolve, 200));
it('has what it opened', () => {
  if (!isOpen) throw new Error('closed');
});
`,
    ),
  ];
  const [started] = (await shareProcesses(files)).keys();
  assert.ok(started !== undefined);
  // The runner tells the processes of a test that they are some of it, and this one is none.
  const { NODE_TEST_CONTEXT: _ofThisRun, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, ['--test', started], { env, encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});
