import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { requires } from './parts.ts';

const starters = [
  { part: 'postgresql', module: './postgres.ts', name: 'startPostgres' },
  { part: 'mariadb', module: './mariadb.ts', name: 'startMariadb' },
] as const;

for (const { part, module, name } of starters) {
  describe(`the ${part} of a test`, requires(part), () => {
    const script = (then: string): string =>
      `import { ${name} } from ${JSON.stringify(new URL(module, import.meta.url))};
       const server = await ${name}(); console.log(server.port); ${then}`;

    for (const [how, then, signal] of [
      ['is killed', 'setInterval(() => {}, 1000);', 'SIGKILL'],
      ['is interrupted', 'setInterval(() => {}, 1000);', 'SIGINT'],
      ['forgets to stop it', '', undefined],
      ['throws', 'throw new Error("on purpose");', undefined],
    ] as const) {
      it(`is stopped and removed when the test process ${how}`, async () => {
        // A temporary folder of its own, in which nothing may remain.
        const folder = await mkdtemp(path.join(tmpdir(), 'rolecall-harness-'));
        // The server's user must be able to enter it.
        await chmod(folder, 0o755);
        const test = spawn(process.execPath, ['--input-type=module', '-e', script(then)], {
          stdio: ['ignore', 'pipe', 'ignore'],
          env: { ...process.env, TMPDIR: folder },
        });
        const ended = once(test, 'exit');
        const [output] = (await once(test.stdout, 'data')) as [Buffer];
        if (signal !== undefined) test.kill(signal);
        await ended;
        const port = Number(output.toString());
        for (let tries = 0; tries < 200 && (await listens(port)); tries += 1) await sleep(25);
        for (let tries = 0; tries < 200 && remains(folder).length > 0; tries += 1) await sleep(25);
        assert.equal(await listens(port), false);
        assert.deepEqual(remains(folder), []);
        await rm(folder, { recursive: true });
      });
    }
  });
}

function remains(folder: string): string[] {
  return globSync(path.join(folder, 'rolecall-*'));
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
