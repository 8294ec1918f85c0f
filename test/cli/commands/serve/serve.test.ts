import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { plainPalette } from '@rolecall/reconcile';
import { linesForPeople } from '../../../../cli/listening/log-lines.ts';
import { listenOn } from '../../../support/relay.ts';
import { noTerminal, runOnRealTerminal } from '../../support/on-terminal.ts';
import { type Finished, type Running, runCommand, startCommand, startInProcess } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const options = (dataDir: string): string[] => ['serve', '--data', dataDir, '--port', '0'];

/** In the process of the test. */
const serve = (dataDir: string, ...args: string[]): Running => startInProcess([...options(dataDir), ...args]);

/** The line that tells the address; the port is any that was free. */
const ready = /The workspace is at (http:\S+),/;

function stop({ signal, finished }: Running): Promise<Finished> {
  signal('SIGTERM');
  return finished;
}

describe('rolecall serve', () => {
  it('says where it is, where its data are and how to make a key, and ends in order', async () => {
    using folder = temporaryFolder();
    const dataDir = path.join(folder.path, 'data');
    const started = startCommand(options(dataDir));
    const url = ready.exec(await started.prints(/Ctrl-C stops it/))?.[1] ?? '';
    assert.ok(started.stdout().includes(dataDir));
    assert.match(started.stdout(), new RegExp(`rolecall keys create --data ${dataDir} --scope admin`));
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    started.child.kill('SIGTERM');
    assert.equal((await started.finished).code, 0);
    await assert.rejects(fetch(`${url}/healthz`));
    assert.ok(!existsSync(path.join(dataDir, 'service.pid')));
  });

  it('serves a key that was made while it runs, and does not ask for one again', async () => {
    using folder = temporaryFolder();
    const started = serve(folder.path);
    const url = ready.exec(await started.prints(ready))?.[1] ?? '';
    const made = await runCommand(['keys', 'create', '--data', folder.path, '--scope', 'read', '--format', 'json']);
    const { id, secret } = JSON.parse(made.stdout) as { id: string; secret: string };
    const authorization = `Basic ${Buffer.from(`${id}@api:${secret}`).toString('base64')}`;
    assert.equal((await fetch(`${url}/api/v2/person`, { headers: { authorization } })).status, 200);
    await stop(started);
    const again = serve(folder.path);
    await again.prints(/Ctrl-C/);
    assert.doesNotMatch(again.stdout(), /no API key/);
    await stop(again);
  });

  it('logs lines of text on a terminal, and a next step', { skip: noTerminal }, async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', path.join(folder.path, 'data'), '--port', '0'];
    let asked = false;
    const { code, shown } = await runOnRealTerminal(
      args,
      { NO_COLOR: '1' },
      [['/api/v2/person 401', '\u0003']],
      (text) => {
        const url = ready.exec(text)?.[1];
        if (url === undefined || asked || !text.includes('Ctrl-C')) return;
        asked = true;
        void fetch(`${url}/api/v2/person`);
      },
    );
    assert.equal(code, 0, shown);
    assert.match(shown, /rolecall keys create --data .* --scope admin/);
    assert.match(shown, /^\d\d:\d\d:\d\d GET \/api\/v2\/person 401 [\d.]+ ms$/m);
    assert.doesNotMatch(shown, /\{"level"/);
  });

  it('makes lines of the log, in which nothing acts on the terminal', () => {
    const lines: string[] = [];
    const stream = linesForPeople({ write: (text) => lines.push(text) }, plainPalette);
    const time = Date.parse('2026-01-01T12:00:00');
    stream.write(
      `${JSON.stringify({ level: 30, time, method: 'GET', path: '/a\u001b', status: 401, ms: 1.5, keyId: 'k', msg: 'request' })}\n`,
    );
    stream.write(`${JSON.stringify({ level: 50, time, msg: 'the disk', err: { message: 'is\nfull' } })}\n`);
    stream.write('not JSON\u001b[2J\n');
    assert.deepEqual(lines, [
      '12:00:00 GET /a\\u{1b} 401 1.5 ms key k\n',
      '12:00:00 error: the disk (is\\nfull)\n',
      'not JSON\\u{1b}[2J\n',
    ]);
  });

  it('logs JSON lines to standard error, and one JSON document to standard output', async () => {
    using folder = temporaryFolder();
    const started = serve(folder.path, '--format', 'json', '--log-level', 'info');
    const { url } = JSON.parse(await started.prints(/\}\n$/)) as { url: string };
    await fetch(`${url}/healthz`);
    await fetch(`${url}/api/v2/person`);
    const { stdout, stderr } = await stop(started);
    JSON.parse(stdout);
    const lines = stderr.trim().split('\n');
    assert.ok(lines.length > 0);
    for (const line of lines) JSON.parse(line);
  });

  it('says in one line that the port is in use', async () => {
    using folder = temporaryFolder();
    const server = createServer();
    const port = String(await listenOn(server));
    const { code, stdout, stderr } = await runCommand(['serve', '--data', folder.path, '--port', port]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      new RegExp(`error: the port ${port} of 127\\.0\\.0\\.1 is in use: choose another one with --port.*\n$`),
    );
    server.close();
  });

  it('says in one line that the folder is served already', async () => {
    using folder = temporaryFolder();
    const started = startCommand(options(folder.path));
    await started.prints(ready);
    const second = await runCommand(options(folder.path));
    assert.equal(second.code, 1);
    assert.match(second.stderr, /^error: .* is served by another process already \(pid \d+\).*\n$/);
    started.child.kill('SIGTERM');
    await started.finished;
  });

  it('says in one line that the folder cannot be used, or holds a newer store', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'file');
    writeFileSync(file, '');
    const inFile = await serve(path.join(file, 'data')).finished;
    assert.equal(inFile.code, 1);
    assert.match(inFile.stderr, /^error: .*\n$/);
    const dataDir = path.join(folder.path, 'data');
    const started = serve(dataDir);
    await started.prints(ready);
    await stop(started);
    const store = readdirSync(dataDir).find((name) => name.endsWith('.db')) ?? '';
    const database = new DatabaseSync(path.join(dataDir, store));
    database.exec("insert into migration values (9999, 'of the future', '2999-01-01T00:00:00.000Z')");
    database.close();
    const newer = await serve(dataDir).finished;
    assert.equal(newer.code, 1);
    assert.match(newer.stderr, /^error: .*newer.*\n$/);
  });

  it('refuses two stores, a store without its key, what is no port and what is no duration, and needs a store', async () => {
    const url = 'postgresql://u:geheim@127.0.0.1:1/rolecall';
    const two = await runCommand(['serve', '--data', 'x', '--database-url', url]);
    assert.equal(two.code, 1);
    assert.match(two.stderr, /--data and --database-url name two stores: leave one out/);
    const keyless = await runCommand(['serve', '--database-url', url]);
    assert.match(keyless.stderr, /set ROLECALL_STORE_KEY/);
    const env = { ROLECALL_DATABASE_URL: url, ROLECALL_STORE_KEY: Buffer.alloc(32).toString('base64') };
    const away = await runCommand(['keys', 'list'], { env });
    assert.match(away.stderr, /^error: the store cannot be reached: .*ECONNREFUSED/);
    for (const { stderr } of [two, keyless, away]) assert.doesNotMatch(stderr, /geheim/);
    const port = await runCommand(['serve', '--data', 'x', '--port', '70000']);
    assert.match(port.stderr, /whole number from 0 to 65535/);
    const retention = await runCommand(['serve', '--data', 'x', '--query-retention', 'soon']);
    assert.match(retention.stderr, /--query-retention soon is not a duration: write 24h, 7d, or 0 for ever/);
    const timeout = await runCommand(['serve', '--data', 'x', '--query-timeout', 'short']);
    assert.match(timeout.stderr, /--query-timeout short is not a duration: write 10m, 1h, or 0 for no limit/);
    for (const size of ['5TB', '-1', '1.5GiB', '99999999999TiB', '']) {
      const wrong = await runCommand(['serve', '--data', 'x', '--query-max-bytes', size]);
      assert.match(wrong.stderr, /--query-max-bytes.* number of bytes, or one with a unit such as 500MiB/, size);
    }
    const burst = await runCommand(['serve', '--data', 'x', '--rate-limit', '0', '--rate-burst', '5']);
    assert.match(burst.stderr, /^error: --rate-burst needs a rate/);
    const network = await runCommand([
      'serve',
      '--data',
      'x',
      '--deny-network',
      '10.0.0.0/8',
      '--deny-network',
      'intranet',
    ]);
    assert.match(network.stderr, /--deny-network intranet is no network: write it as 10\.0\.0\.0\/8/);
    const other = await runCommand(['serve', '--data', 'x', '--allow-network', '10.1.2.3/8']);
    assert.match(other.stderr, /--allow-network 10\.1\.2\.3\/8 .*write the network as 10\.0\.0\.0\/8/);
    const folder = await runCommand(['serve', '--data', 'x', '--sqlite-folder', 'nowhere']);
    assert.match(folder.stderr, /--sqlite-folder nowhere is not a folder/);
    const none = await runCommand(['serve']);
    assert.equal(none.code, 1);
    assert.match(none.stderr, /the store is missing: give --data DIR for a folder, or --database-url/);
  });

  it('takes an address for browsers that they can trust, and sessions of a sensible length', async () => {
    const refused = async (...args: string[]) => (await runCommand(['serve', '--data', 'x', ...args])).stderr;
    assert.match(await refused('--public-url', 'workspace'), /--public-url workspace is not an address/);
    assert.match(await refused('--public-url', 'http://workspace.example.com'), /is not HTTPS, and not on loopback/);
    assert.match(await refused('--public-url', 'https://a.example/path'), /has more than a scheme, a host and a port/);
    assert.match(await refused('--session-idle', '5s'), /--session-idle 5s is not between 1m and 30d/);
  });
});
