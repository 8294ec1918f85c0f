import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { runCommand, startCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('rolecall serve that is told to end, under load', () => {
  it('is not ready first, loses no request, and hints on every connection that it closes', async () => {
    using folder = temporaryFolder();
    const data = ['--data', path.join(folder.path, 'data')];
    const made = await runCommand(['keys', 'create', ...data, '--scope', 'admin', '--format', 'json']);
    const { id, secret } = JSON.parse(made.stdout) as { id: string; secret: string };
    const authorization = `Basic ${Buffer.from(`${id}@api:${secret}`).toString('base64')}`;
    const started = startCommand(['serve', ...data, '--port', '0', '--shutdown-grace', '1s', '--log-level', 'error']);
    const url = /The workspace is at (http:\S+),/.exec(await started.prints(/Ctrl-C stops it/))?.[1] ?? '';
    const pool = new Pool(url, { connections: 16 });
    const [acknowledged, lost]: [string[], string[]] = [[], []];
    let hints = 0;
    let stopped = false;

    async function send(worker: number, count: number): Promise<boolean> {
      const username = `u${worker}-${count}`;
      const person = JSON.stringify({ name: 'x', username, email: `${username}@example.com` });
      const headers = { authorization, 'content-type': 'application/json' };
      try {
        const answer = await pool.request({ method: 'POST', path: '/api/v2/person', headers, body: person });
        await answer.body.dump();
        if (answer.statusCode === 200) acknowledged.push(username);
        else lost.push(`${username}: ${answer.statusCode}`);
        if (answer.headers['connection'] === 'close') hints += 1;
        return true;
      } catch (error) {
        // Nobody listens any more: the request was never sent.
        if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') return false;
        lost.push(`${username}: ${String(error)}`);
        return true;
      }
    }
    const workers = Array.from({ length: 16 }, async (_, worker) => {
      for (let count = 0; !stopped; count += 1) {
        if (!(await send(worker, count))) return;
        // Some connections rest between two requests, as those of a real client do.
        if (worker % 4 === 0) await sleep(20);
      }
    });
    while (acknowledged.length < 50) await sleep(5);
    const ready = async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status;
    assert.equal(await ready(), 200);
    started.child.kill('SIGTERM');
    const before = acknowledged.length;
    // While it drains it says that it is not ready, and takes everything all the same.
    let status = await ready();
    while (status === 200) status = await ready();
    assert.equal(status, 503);
    assert.equal((await started.finished).code, 0);
    stopped = true;
    await Promise.all(workers);
    await pool.destroy();
    assert.ok(acknowledged.length > before && hints > 0);
    assert.deepEqual(lost, []);

    const again = startCommand(['serve', ...data, '--port', '0', '--log-level', 'error']);
    const next = /The workspace is at (http:\S+),/.exec(await again.prints(/Ctrl-C stops it/))?.[1] ?? '';
    const people = (await (await fetch(`${next}/api/v2/person`, { headers: { authorization } })).json()) as {
      username: string;
    }[];
    again.child.kill('SIGTERM');
    await again.finished;
    assert.deepEqual(people.map(({ username }) => username).sort(), acknowledged.sort());
  });
});
