/** Over the embedded store only: it reads the bytes of every file in its folder. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { backupStore, createKey, rotateKey } from '@rolecall/server';
import { runCommand } from '../cli/support/run-command.ts';
import { makers } from './support/make.ts';
import { metricsOf } from './support/metrics.ts';
import { emptySqlite, queryHelpers } from './support/queries.ts';
import { sendRaw } from './support/raw-http.ts';
import { basic, startTestService, temporaryFolder } from './support/service.ts';

/** The passwords of data sources: one that was made with it, one that came by an update, those of requests that failed. */
const passwords = ['pl4nted-made', 'pl4nted-updated', 'pl4nted-refused', 'pl4nted-malformed', 'pl4nted-sp ace%&'];

const logged: string[] = [];
const stream = new Writable({
  write: (chunk, _encoding, done) => {
    logged.push(String(chunk));
    done();
  },
});
const service = await startTestService({
  logger: { level: 'trace', stream },
  metricsListener: { host: '127.0.0.1', port: 0 },
});
const { dataDir, store } = service;
/** Everything that the service has answered, but to the one who may read passwords. */
const answered: string[] = [];

async function call(...[method, where, what]: Parameters<typeof service.call>) {
  const answer = await service.call(method, where, what);
  // Who has just sent a connection gets it back; no one else does.
  const echoes = method === 'POST' && /^\/data-source(\/\w+)?$/.test(where) && answer.status === 200;
  answered.push(echoes ? '' : answer.text, JSON.stringify([...answer.headers]));
  return answer;
}

describe('a secret that was planted everywhere', async () => {
  const [made = '', updated = '', refused = '', malformed = '', awkward = ''] = passwords;
  const uri = (password: string, scheme = 'postgresql') =>
    `${scheme}://u:${encodeURIComponent(password)}@127.0.0.1:1/x`;
  const folder = await temporaryFolder();
  const key = await createKey({ ...store, scope: 'admin' });
  const old = await createKey({ ...store, scope: 'read' });
  const renewed = await rotateKey({ ...store, id: old.id });
  const secrets = [...passwords, ...[key, old, renewed, ...Object.values(service.keys)].map(({ secret }) => secret)];
  const make = makers(service);
  const queries = queryHelpers(service);

  it('is used by everything that takes one, and what fails', async () => {
    const form = (password: string) => ({
      name: 'x',
      alias: `p${passwords.indexOf(password)}`,
      configUri: uri(password),
    });
    const headers = { 'idempotency-key': 'once' };
    const first = await call('POST', '/data-source', { form: form(made), headers, key });
    assert.equal(first.status, 200, first.text);
    assert.equal((await call('POST', '/data-source', { form: form(made), headers, key })).status, 200);
    const { id } = first.body as { id: string };
    assert.equal((await call('POST', '/data-source', { form: form(awkward), key })).status, 200);
    const changed = await call('POST', `/data-source/${id}`, { form: { configUri: uri(updated) }, key });
    assert.equal(changed.status, 200, changed.text);
    // The one answer that has it, for the scope that may.
    assert.match((await service.call('GET', `/data-source/${id}/detail`, { key })).text, /pl4nted-updated/);
    await call('POST', `/data-source/${id}/test`, { key });
    const failed = await queries.run(id, 'select 1');
    assert.equal(failed.query.success, false);
    answered.push(JSON.stringify(failed));
    const target = await make.dataSource({ configUri: await emptySqlite(folder) });
    answered.push(JSON.stringify(await queries.run(target.id, 'select 1', 'nonsense')));

    for (const scheme of ['oracle', 'file', 'postgresql+x']) {
      assert.equal(
        (await call('POST', '/data-source', { form: { ...form(refused), configUri: uri(refused, scheme) } })).status,
        422,
      );
    }
    await call('POST', '/data-source', { form: { ...form(refused), configUri: `${uri(refused)}?sslkey=/etc/passwd` } });
    await call('POST', '/data-source', { form: { ...form(refused), alias: 'p0' } });
    await call('POST', '/data-source', { json: { ...form(refused), extra: refused } });
    await call('POST', '/data-source', {
      body: `{"configUri":"${uri(malformed)}`,
      headers: { 'content-type': 'application/json' },
    });
    await call('POST', '/data-source', {
      body: `configUri=${uri(malformed)}&%zz`,
      headers: { 'content-type': 'text/plain' },
    });
    await call('GET', `/person?password=${malformed}`);
    for (const right of [key, renewed]) {
      await call('GET', '/person', { key: { ...right, id: 'nobody' } });
      await call('GET', '/person', { key: null, headers: { authorization: `Bearer ${right.secret}` } });
      await call('POST', '/role', { key: { ...right, secret: `${right.secret}x` }, form: { name: 'x' } });
    }
    assert.equal((await call('GET', '/person', { key: old })).status, 401);
    answered.push(
      await sendRaw(service.url, [`GET /api/v2/person HTTP/1.1\r\nauthorization: ${basic(key)}\r\nbad header\r\n\r\n`]),
    );
    assert.equal((await call('DELETE', `/data-source/${id}`, { key })).status, 200);
  });

  it('is in no log, at whichever level, in no answer and in no metric', async () => {
    assert.ok(logged.length > 20 && answered.length > 20);
    const texts = { log: logged.join(''), answers: answered.join('\n'), metrics: await metricsOf(service) };
    for (const [name, text] of Object.entries(texts)) assertNone(name, Buffer.from(text), secrets);
  });

  it('is in nothing that the commands print', async () => {
    const data = ['--data', dataDir];
    for (const args of [
      ['audit', 'list', ...data, '--limit', '10000'],
      ['audit', 'list', ...data, '--limit', '10000', '--format', 'json'],
      ['audit', 'verify', ...data],
      ['keys', 'list', ...data, '--format', 'json'],
      ['serve', ...data, '--port', '0', '--debug'],
    ]) {
      const { stdout, stderr } = await runCommand(args);
      assert.ok((stdout + stderr).length > 0);
      assertNone(args.join(' '), Buffer.from(stdout + stderr), secrets);
    }
  });

  it('is in no byte of any file of the folder, the log of the store and its backup among them', async () => {
    await backupStore({ dataDir, out: path.join(dataDir, 'planted.backup') });
    const names = readdirSync(dataDir, { recursive: true }).map(String);
    for (const expected of ['rolecall.db', 'rolecall.db-wal', 'planted.backup', 'store.key'])
      assert.ok(names.includes(expected));
    assert.ok(names.some((name) => name.startsWith(`spool${path.sep}`) && name.endsWith('.rows')));
    for (const name of names) {
      const file = path.join(dataDir, name);
      if (statSync(file).isFile()) assertNone(name, readFileSync(file), secrets);
    }
  });
});

/** Looks for each secret as it is, and as it is written in URIs, in JSON and in HTTP Basic. */
function assertNone(where: string, bytes: Buffer, secrets: readonly string[]): void {
  for (const secret of secrets) {
    const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
    // The end of a Basic header: how it begins depends on the identifier before it.
    const shifted = [1, 2].map((shift) =>
      Buffer.from('x'.repeat(shift) + secret)
        .toString('base64')
        .slice(4, -4),
    );
    for (const form of [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      base64.slice(0, -2),
      ...shifted,
    ]) {
      assert.equal(bytes.indexOf(form), -1, `${where} has ${secret} as ${form}`);
    }
  }
}
