import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { chapters } from '../../tools/demo-operator/chapters.ts';
import { requires } from '../support/databases/parts.ts';

const tools = path.resolve(import.meta.dirname, '../../tools');
const start = (file: string, env: NodeJS.ProcessEnv = process.env) =>
  spawn(process.execPath, ['--conditions=source', path.join(tools, file)], { stdio: ['ignore', 'pipe', 'pipe'], env });

describe('the operator on this machine', requires('kubernetes', 'kubectl'), () => {
  it('tells its whole story, and leaves nothing behind', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'rolecall-demo-test-'));
    const child = start('demo-operator/main.ts', { ...process.env, TMPDIR: folder });
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit') as Promise<[number | null]>,
    ]);
    assert.equal(code, 0, stdout + stderr);
    assert.doesNotMatch(stdout, /✗/);
    for (const { title } of chapters) assert.ok(stdout.includes(title), title);
    assert.ok((stdout.match(/✓/g) ?? []).length >= 2 * chapters.length - 1, stdout);
    assert.deepEqual(await readdir(folder), []);
    await rm(folder, { recursive: true });
  });

  it('is there for kubectl, with the kinds in it, by the line that npm run cluster prints', async (test) => {
    const child = start('cluster.ts');
    // Nothing that fails below may leave it running.
    test.after(() => child.kill('SIGTERM'));
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const kubectl = spawn('sh', [
      '-c',
      `${line}; kubectl get rolecall --all-namespaces && kubectl explain person.spec.email`,
    ]);
    const [said, errors] = await Promise.all([text(kubectl.stdout), text(kubectl.stderr), once(kubectl, 'close')]);
    assert.match(errors, /No resources found/);
    assert.match(said, /FIELD: email <string>[^]*unique whatever the case/);
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number | null];
    assert.equal(code, 0);
  });
});
