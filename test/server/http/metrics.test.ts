import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { operationIds, personOperationIds } from '@rolecall/api';
import { createKey, revokeKey } from '@rolecall/server';
import { metricTable } from '../../../server/metrics/table.ts';
import { openEvents } from '../support/events.ts';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { metricsOf, valueOf } from '../support/metrics.ts';
import { signedIn } from '../support/person.ts';
import { emptySqlite, queryHelpers } from '../support/queries.ts';
import { sendRaw } from '../support/raw-http.ts';
import { basic, startTestService, temporaryFolder } from '../support/service.ts';

const service = await startTestService({ metricsListener: { host: '127.0.0.1', port: 0 } });
const make = makers(service);
/** Past the prefix of the API. */
const metrics = '/../../metrics';
/** Waits for something; a test that waits in vain fails by its time-out. */
async function until(reached: () => Promise<boolean>): Promise<void> {
  while (!(await reached())) await sleep(10);
}

const page = () => metricsOf(service);
const requests = (text: string, operation: string, method: string, status: string) =>
  valueOf(text, `rolecall_http_requests_total{operation="${operation}",method="${method}",status="${status}"}`) ?? 0;

describe('/metrics', () => {
  it('is for every valid key, and for no one else, on the port of the API', async () => {
    for (const key of Object.values(service.keys)) {
      const answer = await service.call('GET', metrics, { key });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    }
    const revoked = await createKey({ ...service.store, scope: 'read' });
    await revokeKey({ ...service.store, id: revoked.id });
    const wrong = { ...service.keys.admin, secret: 'x' };
    for (const key of [null, revoked, wrong]) {
      assertProblem(await service.call('GET', metrics, { key }), 401, 'unauthenticated');
    }
    assertProblem(await service.call('POST', metrics), 405, 'method_not_allowed');
  });

  it('is for everybody on a listener of its own, which has nothing else', async () => {
    assert.match(await page(), /^# HELP rolecall_http_requests_total /);
    const { origin } = new URL(service.metricsUrl ?? '');
    assert.equal((await fetch(`${origin}/api/v2/person`)).status, 404);
    assert.equal((await fetch(`${origin}/metrics`, { method: 'POST' })).status, 404);
    const without = await startTestService();
    assert.equal(without.metricsUrl, undefined);
  });

  it('counts and times each operation', async () => {
    const before = await page();
    const { id } = await make.person();
    await service.ok('GET', `/person/${id}`);
    await service.call('GET', '/person/abcdefghijkl');
    await service.call('POST', '/person', { form: {} });
    const after = await page();
    const grown = (...series: [string, string, string]) => requests(after, ...series) - requests(before, ...series);
    assert.equal(grown('createPerson', 'POST', '2xx'), 1);
    assert.equal(grown('createPerson', 'POST', '4xx'), 1);
    assert.equal(grown('getPerson', 'GET', '2xx'), 1);
    assert.equal(grown('getPerson', 'GET', '4xx'), 1);
    const count = 'rolecall_http_request_duration_seconds_count{operation="getPerson"}';
    assert.equal((valueOf(after, count) ?? 0) - (valueOf(before, count) ?? 0), 2);
    assert.equal(valueOf(after, 'rolecall_http_requests_in_flight'), 0);
  });

  it('counts what no operation takes, by nothing that a client can make up', async () => {
    const before = await page();
    await service.call('GET', '/nothing-here');
    await service.call('PROPFIND', '/person');
    await service.call('GET', '/person/%zz');
    await sendRaw(service.url, ['nonsense\r\n\r\n']);
    const after = await page();
    assert.equal(requests(after, 'none', 'GET', '4xx') - requests(before, 'none', 'GET', '4xx'), 2);
    assert.equal(requests(after, 'none', 'other', '4xx') - requests(before, 'none', 'other', '4xx'), 2);
    assert.doesNotMatch(after, /nothing-here|PROPFIND|nonsense/);
  });

  it('counts requests whose client went away, which are in flight no more', async () => {
    const body = [
      'POST /api/v2/role HTTP/1.1',
      'host: x',
      `authorization: ${basic(service.keys.admin)}`,
      'content-type: application/json',
      'content-length: 100',
    ];
    const before = requests(await page(), 'createRole', 'POST', 'aborted');
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.write(`${body.join('\r\n')}\r\n\r\n{`);
    await until(async () => valueOf(await page(), 'rolecall_http_requests_in_flight') === 1);
    socket.destroy();
    await until(async () => requests(await page(), 'createRole', 'POST', 'aborted') === before + 1);
    assert.equal(valueOf(await page(), 'rolecall_http_requests_in_flight'), 0);
  });

  it('times the writes of the store, and counts how many share a commit', async () => {
    const before = await page();
    await Promise.all(Array.from({ length: 20 }, () => make.role()));
    const after = await page();
    const grown = (series: string) => (valueOf(after, series) ?? 0) - (valueOf(before, series) ?? 0);
    const writes = grown('rolecall_store_write_duration_seconds_count');
    // The service may have written something of its own meanwhile.
    assert.ok(writes >= 20 && writes <= 22, String(writes));
    assert.equal(grown('rolecall_store_group_size_sum'), writes);
    assert.ok(grown('rolecall_store_group_size_count') <= writes);
  });

  it('counts queries by outcome, and their rows', async () => {
    const before = await page();
    const { run } = queryHelpers(service);
    const { id } = await make.dataSource({ configUri: await emptySqlite(await temporaryFolder()) });
    await run(id, 'select 1 union select 2');
    await run(id, 'select nonsense');
    const after = await page();
    const grown = (series: string) => (valueOf(after, series) ?? 0) - (valueOf(before, series) ?? 0);
    assert.equal(grown('rolecall_queries_completed_total{outcome="succeeded"}'), 1);
    assert.equal(grown('rolecall_queries_completed_total{outcome="failed"}'), 1);
    assert.equal(grown('rolecall_query_spooled_rows_total'), 2);
    assert.equal(grown('rolecall_query_spooled_bytes_total'), '["1"],["2"]'.length);
    assert.equal(valueOf(after, 'rolecall_queries_running'), 0);
    assert.equal(valueOf(after, 'rolecall_queries_waiting'), 0);
  });

  it('counts the streams of events that are open', async () => {
    const { token } = await signedIn(service, (await make.person()).id);
    const events = await openEvents(service.url, token);
    assert.equal(valueOf(await page(), 'rolecall_event_streams'), 1);
    await events[Symbol.asyncDispose]();
    await until(async () => valueOf(await page(), 'rolecall_event_streams') === 0);
  });

  it('tells what runs, since when, and what it takes', async () => {
    const text = await page();
    assert.match(text, /^rolecall_build_info\{version="\d+\.\d+\.\d+",node="\d+\.\d+\.\d+"\} 1$/m);
    const now = Date.now() / 1000;
    const started = valueOf(text, 'process_start_time_seconds') ?? 0;
    assert.ok(started > now - 600 && started <= now);
    for (const name of ['process_resident_memory_bytes', 'nodejs_heap_size_used_bytes', 'process_cpu_seconds_total']) {
      assert.ok((valueOf(text, name) ?? 0) > 0, name);
    }
    assert.ok((valueOf(text, 'rolecall_event_loop_delay_seconds_count') ?? 0) > 0);
    assert.equal(valueOf(text, 'rolecall_http_connections') === undefined, false);
  });

  it('has labels of fixed lists only: no identifier and no key', async () => {
    const { id } = await make.person();
    await service.ok('GET', `/person/${id}`);
    const text = await page();
    assert.ok(!text.includes(id));
    for (const key of Object.values(service.keys)) assert.ok(!text.includes(key.id) && !text.includes(key.secret));
    const known = new Set<string>([
      ...operationIds,
      ...personOperationIds,
      'none',
      'page',
      'healthz',
      'readyz',
      'openapi.json',
      'person/v1/openapi.json',
      'metrics',
    ]);
    for (const [, operation = ''] of text.matchAll(/operation="([^"]*)"/g)) assert.ok(known.has(operation), operation);
  });

  it('has exactly the families that the documentation lists', async () => {
    const text = await page();
    const shown = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name ?? ''} ${type ?? ''}`);
    const documented = readFileSync(path.resolve(import.meta.dirname, '../../../docs/service.md'), 'utf8');
    const rows = [...documented.matchAll(/^\| `((?:rolecall|process|nodejs)_\w+)` \| (\w+) \| ([^|]*) \| (.*) \|$/gm)];
    const table = Object.entries(metricTable).map(([name, { type, help, labels }]) => {
      return [name, type, labels.map((label) => `\`${label}\``).join(', '), help];
    });
    assert.deepEqual(
      rows.map(([, ...cells]) => cells.map((cell) => cell.trim())),
      table,
    );
    assert.deepEqual(
      shown,
      table.map(([name, type]) => `${name ?? ''} ${type ?? ''}`),
    );
  });
});
