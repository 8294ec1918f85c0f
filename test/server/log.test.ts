import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { createKey, revokeKey } from '@rolecall/server';
import { until } from './person-api/in-editor.ts';
import { makers } from './support/make.ts';
import { basic, startTestService } from './support/service.ts';
import { newStore } from './support/stores.ts';

const lines: string[] = [];
const stream = new Writable({
  write: (chunk, _encoding, done) => {
    lines.push(String(chunk));
    done();
  },
});
const service = await startTestService({ logger: { level: 'trace', stream } });

describe('the log', () => {
  it('has one line a request, found by its identifier, with who asked and what became of it', async () => {
    const answer = await service.call('GET', '/person/nobody?x=secret', { key: service.keys.read });
    const requestId = answer.headers.get('x-request-id');
    const found = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ reqId }) => reqId === requestId);
    assert.equal(found.length, 1);
    const { method, path, status, keyId } = found[0] ?? {};
    assert.deepEqual(
      { method, path, status, keyId },
      { method: 'GET', path: '/api/v2/person/nobody', status: 400, keyId: service.keys.read.id },
    );
  });

  it('blames no failure of the service on a client that goes away in the middle of its body', async () => {
    const before = lines.length;
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const head = [
      'POST /api/v2/role HTTP/1.1',
      'Host: x',
      `Authorization: ${basic(service.keys.write)}`,
      'Content-Type: application/json',
      'Content-Length: 50',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{`);
    await new Promise((resume) => setTimeout(resume, 100));
    socket.destroy();
    await until(() => lines.length > before);
    const logged = lines.slice(before).map((line) => JSON.parse(line) as { level: number; path?: string });
    assert.deepEqual(
      logged.map(({ level, path }) => [level, path]),
      [[30, '/api/v2/role']],
    );
  });

  it('warns at the start of keys that expire within two weeks, by their ids', async () => {
    const store = await newStore();
    const make = (days: number) =>
      createKey({ ...store, scope: 'read', expiresAt: new Date(Date.now() + days * 86_400_000) });
    const [soon, revoked] = [await make(13), await make(1)];
    await make(15);
    await revokeKey({ ...store, id: revoked.id });
    const before = lines.length;
    await startTestService({ ...store, logger: { level: 'warn', stream } });
    const warnings = () => lines.slice(before).filter((line) => line.includes('expire soon'));
    await until(() => warnings().length > 0);
    const [{ count, keys }, ...more] = warnings().map((line): unknown => JSON.parse(line)) as [
      { count: number; keys: unknown },
      ...unknown[],
    ];
    assert.deepEqual([count, keys, more], [1, [{ id: soon.id, name: null, expiresAt: soon.expiresAt }], []]);
  });

  it('has no secret, whatever is sent and whatever fails', async () => {
    const password = 'hunter2-in-the-log';
    const source = await makers(service).dataSource({ configUri: `postgresql://u:${password}@127.0.0.1:1/x` });
    await service.ok('GET', `/data-source/${source.id}/detail`);
    await service.ok('POST', `/data-source/${source.id}/test`);
    await service.call('POST', '/data-source', { form: { name: 'x', configUri: `oracle://u:${password}@h` } });
    await service.call('POST', '/data-source', {
      body: `{"configUri":"${password}`,
      headers: { 'content-type': 'application/json' },
    });
    await service.call('GET', `/person?password=${password}`);
    await fetch(`${service.url}/api/v2/person`, { headers: { authorization: `Basic ${password}` } });
    const all = lines.join('');
    assert.ok(lines.length > 5);
    const header = basic(service.keys.admin).slice('Basic '.length);
    for (const secret of [password, service.keys.admin.secret, header]) assert.ok(!all.includes(secret), secret);
  });
});
