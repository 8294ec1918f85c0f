import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyAudit } from '@rolecall/server';
import { type PostgresServer, startPostgres } from '../../../support/databases/postgres.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { askDatabase } from '../../support/stores.ts';

const clients = 12;

/** How long the service may take until it is ready again, in milliseconds. */
const patience = 60_000;

interface Outcome {
  /** Usernames of people whose creation was answered with 200. */
  readonly acknowledged: string[];
  /** Answers by their status. */
  readonly statuses: Map<number, number>;
  /** What must never be answered. */
  readonly wrong: string[];
}

/**
 * Kills the database of a store again and again while clients read and write through a service, and holds the service to:
 * 200, 404, 409 or a 503 with Retry-After, and nothing else; ready again by itself; everything there that was
 * acknowledged; an audit trail that fits; no connection lost.
 */
export async function surviveOutages(rounds: number): Promise<void> {
  const server = await startPostgres({ max_connections: '60', wal_writer_delay: '10s' }, {}, true);
  try {
    const environment = { ROLECALL_STORE_KEY: Buffer.alloc(32, 7).toString('base64') };
    const service = await startTestService({ databaseUrl: server.uri, environment });
    const outcome: Outcome = { acknowledged: [], statuses: new Map(), wrong: [] };
    const end = new AbortController();
    const load = Array.from({ length: clients }, (_, client) => run(service, client, outcome, end.signal));
    for (let round = 0; round < rounds; round += 1) {
      await sleep(200 + Math.random() * 400);
      const before = outcome.acknowledged.length;
      await strike(server, round);
      await untilReady(service);
      while (outcome.acknowledged.length < before + 5) await sleep(10);
    }
    end.abort();
    await Promise.all(load);
    await check(service, server, outcome);
    await service.close();
  } finally {
    await server.stop();
  }
}

/** A crash of the whole server, a stop at once, or the end of the sessions of the service alone. */
async function strike(server: PostgresServer, round: number): Promise<void> {
  if (round % 3 === 2) {
    await askDatabase(
      server.uri,
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'rolecall%'",
    );
  } else await server.kill(round % 3 === 0 ? 'SIGKILL' : 'SIGQUIT');
}

async function untilReady(service: TestService): Promise<void> {
  const until = performance.now() + patience;
  for (;;) {
    const answer = await fetch(`${service.url}/readyz`);
    await answer.text();
    if (answer.status === 200) return;
    assert.equal(answer.status, 503);
    assert.ok(performance.now() < until, 'the service does not recover');
    await sleep(20);
  }
}

async function run(service: TestService, client: number, outcome: Outcome, signal: AbortSignal): Promise<void> {
  for (let count = 0; !signal.aborted; count += 1) {
    const username = `p${client}-${count}`;
    const form = { name: 'x', username, email: `${username}@example.com` };
    const created = await service.call('POST', '/person', { form });
    note(outcome, created);
    if (created.status !== 200) continue;
    outcome.acknowledged.push(username);
    const { id } = created.body as { id: string };
    note(outcome, await service.call('PUT', `/person/${id}/lock`));
    note(outcome, await service.call('GET', `/person/${id}`));
    if (count % 10 === 0) note(outcome, await service.call('GET', '/person'));
    if (count % 5 === 0) note(outcome, await service.call('POST', '/role', { form: { name: `r${client}-${count}` } }));
  }
}

function note({ statuses, wrong }: Outcome, answer: { status: number; text: string; headers: Headers }): void {
  statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  if (![200, 404, 409, 503].includes(answer.status)) wrong.push(`${answer.status} ${answer.text}`);
  if (answer.status === 503 && answer.headers.get('retry-after') === null) wrong.push('503 without Retry-After');
}

async function check(service: TestService, { uri }: PostgresServer, outcome: Outcome): Promise<void> {
  assert.deepEqual(outcome.wrong, []);
  assert.ok((outcome.statuses.get(503) ?? 0) > 0, 'no outage was felt');
  const people = await service.ok<{ username: string }[]>('GET', '/person');
  const there = new Set(people.map(({ username }) => username));
  assert.deepEqual(
    outcome.acknowledged.filter((username) => !there.has(username)),
    [],
    'acknowledged and gone',
  );
  assert.equal((await verifyAudit(service.store)).broken, undefined);
  const [row] = await askDatabase(
    uri,
    "select count(*)::int as count from pg_stat_activity where application_name like 'rolecall%'",
  );
  assert.ok(Number(row?.['count']) <= 14, `${String(row?.['count'])} connections of one service`);
}
