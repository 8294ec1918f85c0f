import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { AnswerOf } from '@rolecall/api';
import type { Client } from 'pg';
import { requires } from '../../../support/databases/parts.ts';
import { startPostgres } from '../../../support/databases/postgres.ts';
import { until } from '../../person-api/in-editor.ts';
import { makers } from '../../support/make.ts';
import { signedIn } from '../../support/person.ts';
import type { TestService } from '../../support/service.ts';
import {
  type AuditEntry,
  loggedStatements,
  logsStatements,
  open,
  serverLog,
  type ThroughGateway,
  throughGateway,
} from '../through-gateway.ts';

const skipped = requires('postgresql');
const server = skipped.skip === false ? await startPostgres({ ...logsStatements, max_connections: '250' }) : undefined;
after(() => server?.stop());
const uri = server?.uri ?? '';

/** Statements of every kind, each as one turn of a session. */
function turns(client: Client): (() => Promise<unknown>)[] {
  const fails = () => client.query('select 1 / (select 0)').catch(() => undefined);
  return [
    () => client.query('select 1 as one; select 2 as two'),
    () => client.query({ name: 'named', text: 'select $1::int as three', values: [3] }),
    () => client.query('select pg_sleep(0.02)'),
    () => client.query("select repeat('x', 100000) from generate_series(1, 20)"),
    async () => {
      await client.query('begin');
      await fails();
      await fails();
      await client.query('rollback');
    },
    () => Promise.all([client.query({ text: 'select $1 as four', values: ['4'] }), fails(), client.query('select 5')]),
  ];
}

/** Opens a session under a name of its own, and takes each turn once in it. */
async function begin(login: ThroughGateway['login'], name: string): Promise<Client> {
  const client = await open({ ...login, application_name: name, pipeline: true });
  for (const turn of turns(client)) await turn();
  return client;
}

/** Takes turns in a session until it is cut. */
async function runUntilCut(client: Client): Promise<void> {
  const session = { isOver: false };
  const over = new Promise((resolve) => client.once('end', resolve)).then(() => {
    session.isOver = true;
  });
  const kinds = turns(client);
  // What was asked for at the end may get no answer, or fail before the end is noticed.
  for (let turn = 0; !session.isOver; turn += 1) {
    await Promise.race([over, kinds[turn % kinds.length]?.().catch(() => undefined)]);
    await nextTurn();
  }
}

/** What takes the sessions of a person away. */
type End = (one: Awaited<ReturnType<typeof enter>>) => Promise<unknown>;

const ends: readonly End[] = [
  ({ ada, permission }) => ada.service.ok('DELETE', `/permission/${permission}`),
  ({ ada, person }) => ada.service.ok('PUT', `/person/${person}/lock`),
  ({ session, password }) => session.call('DELETE', `/gateway-password/${password}`),
  ({ session }) => session.call('POST', '/sign-out', { json: {} }),
  async ({ ada, person }) => {
    const { sessions } = await ada.service.ok<AnswerOf<'listGatewaySessions'>>('GET', '/gateway-session');
    const own = sessions.filter((one) => one.person.id === person);
    for (const { id } of own) await ada.service.ok('DELETE', `/gateway-session/${id}`);
  },
];

/** Makes a person who reaches the data source by a permission, and has a password. */
async function enter(ada: ThroughGateway) {
  const { service, source } = ada;
  const make = makers(service);
  const person = await make.person();
  const permission = await make.permission(source.id, person.id, { duration: '3600' });
  const session = await signedIn(service, person.id, { kind: 'command_line' });
  const path = `/data-source/${source.id}/gateway-password`;
  const made = await session.ok('createGatewayPassword', 'POST', path, { json: {} });
  const login = { ...ada.login, user: made.user, password: made.password };
  return { ada, person: person.id, permission: permission.id, session, password: made.id, login };
}

/** Leaves a person only a permission that ends by itself, a second later. */
const endsByItself: End = async ({ ada, person, permission }) => {
  await makers(ada.service).permission(ada.source.id, person, { duration: '1' });
  await ada.service.ok('DELETE', `/permission/${permission}`);
};

/** How often each statement ran by the audit trail, by the names of the sessions. */
async function audited({ service }: ThroughGateway): Promise<Map<string, Map<string, number>>> {
  const runs = new Map<string, Map<string, number>>();
  const [names, texts] = [new Map<string, string>(), new Map<string, string>()];
  for (const { id, action, after: told = {} } of (await wholeTrail(service)).flatMap(({ changes }) => changes)) {
    const { client } = told;
    if (action === 'created' && typeof client === 'string') names.set(id, client);
    if (action !== 'statements run') continue;
    const name = names.get(id) ?? '';
    const ofName = runs.get(name) ?? new Map<string, number>();
    runs.set(name, ofName);
    // The schema says only that it is JSON.
    for (const { digest, text, runs: count } of told['statements'] as unknown as Statement[]) {
      if (text !== undefined) texts.set(digest, text);
      const key = texts.get(digest) ?? digest;
      ofName.set(key, (ofName.get(key) ?? 0) + count);
    }
  }
  return runs;
}

async function wholeTrail(service: TestService): Promise<AuditEntry[]> {
  const all: AuditEntry[] = [];
  for (;;) {
    const page = await service.ok<AuditEntry[]>('GET', `/audit?after=${all.at(-1)?.seq ?? 0}&limit=1000`);
    if (page.length === 0) return all.filter(({ operation }) => operation === 'gateway');
    all.push(...page);
  }
}

/** What the server has logged up to now: its log is written in order, a moment later. */
async function logged(): Promise<string> {
  const admin = await open({ connectionString: uri, application_name: 'marker' });
  await admin.query('select 1');
  await admin.end();
  await until(async () => /^marker\|/m.test(await serverLog(uri)));
  return serverLog(uri);
}

interface Statement {
  readonly digest: string;
  readonly text?: string;
  readonly runs: number;
}

describe('sessions of PostgreSQL through the gateway that end at any moment', skipped, () => {
  it('are in the audit trail with exactly the statements that the server has logged, and leave nothing behind', async () => {
    const ada = await throughGateway(uri);
    const names: string[] = [];
    const one = async (number: number): Promise<void> => {
      for (const [turn, end] of ends.entries()) {
        const entered = await enter(ada);
        const own = [0, 1].map((session) => `witness${number}_${turn}_${session}`);
        names.push(...own);
        const clients = await Promise.all(own.map((name) => begin(entered.login, name)));
        const running = clients.map(runUntilCut);
        await sleep(100 * ((number + turn) % 7));
        // Of the first person, every access ends by itself.
        await (number === 0 ? endsByItself : end)(entered);
        await Promise.all(running);
      }
    };
    await Promise.all([0, 1, 2, 3, 4].map(one));
    const listed = () => ada.service.ok<AnswerOf<'listGatewaySessions'>>('GET', '/gateway-session');
    await until(async () => (await listed()).sessions.length === 0);
    const [runs, log] = [await audited(ada), await logged()];
    const all = loggedStatements(log);
    const terminated = new Set([...log.matchAll(/^(\w+)\|FATAL/gm)].map(([, name]) => name));
    for (const name of names) {
      const times = Map.groupBy(all.get(name) ?? [], (text) => text);
      assert.ok(times.size > 3, `${name} ran statements`);
      for (const text of new Set([...times.keys(), ...(runs.get(name)?.keys() ?? [])])) {
        const [told, done] = [runs.get(name)?.get(text) ?? 0, times.get(text)?.length ?? 0];
        // Of a terminated session, no one can tell whether the server had begun with the last statement.
        assert.ok(terminated.has(name) ? told >= done : told === done, `${name}, ${text}: ${told} and ${done}`);
      }
    }
    await until(async () => (await backends()) === 0);
  });
});

/** How many connections of the gateway the server has. */
async function backends(): Promise<number> {
  const admin = await open({ connectionString: uri });
  const { rowCount } = await admin.query(
    "select from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'",
  );
  await admin.end();
  return rowCount ?? 0;
}
