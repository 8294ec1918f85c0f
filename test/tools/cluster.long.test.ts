import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { requires } from '../support/databases/parts.ts';

const script = path.resolve(import.meta.dirname, '../../tools/cluster.ts');

describe('npm run cluster', requires('kubernetes', 'kubectl'), () => {
  it('starts an API server with the kinds, which kubectl reaches by the printed line', async (test) => {
    const child = spawn(process.execPath, ['--conditions=source', script], { stdio: ['ignore', 'pipe', 'pipe'] });
    // Also when an assertion below fails.
    test.after(() => child.kill('SIGTERM'));
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const kubectl = spawn('sh', [
      '-c',
      `${line}; kubectl get rolecall --all-namespaces && kubectl explain person.spec.email`,
    ]);
    const [said, errors] = await Promise.all([text(kubectl.stdout), text(kubectl.stderr), once(kubectl, 'close')]);
    assert.match(errors, /No resources found/);
    assert.match(said, /FIELD: email <string>[^]*unique, ignoring case/);
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number | null];
    assert.equal(code, 0);
  });
});
