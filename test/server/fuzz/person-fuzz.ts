import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { personProblemsOf, personRouteTable, problems } from '@rolecall/api';
import { createRandom, type Random } from '../../support/random.ts';
import { makers } from '../support/make.ts';
import { type SignedIn, signedIn } from '../support/person.ts';
import { emptySqlite, queryHelpers } from '../support/queries.ts';
import { startTestService, type TestService, temporaryFolder } from '../support/service.ts';
import { type Known, makePersonRequest, type PersonRequest } from './person-requests.ts';

export interface PersonFuzzReport {
  /** How many answers had each status. */
  readonly statuses: Record<string, number>;
  /** What must not be, with the request that led to it. */
  readonly faults: string[];
}

/** Stands in every text of a person's own. */
const canaryOf = (name: string) => `canary-of-${name}`;
const workers = 8;
/** How many requests a person sends, at most, before the other one's things are compared. */
const mostBetween = 1000;

interface Someone {
  readonly name: string;
  readonly person: string;
  session: SignedIn;
  readonly known: Known;
}

/** Two people send so many requests in turn, each with the other's identifiers too. */
export async function fuzzPeople(count: number, seed: number): Promise<PersonFuzzReport> {
  const service = await startTestService();
  const agent = new Agent({ keepAlive: true, maxSockets: workers });
  const configUri = await emptySqlite(await temporaryFolder());
  const shared = await makers(service).dataSource({ configUri });
  const people = [
    await settle(service, 'ada', shared.id, configUri),
    await settle(service, 'ben', shared.id, configUri),
  ] as const;
  const report: PersonFuzzReport = { statuses: {}, faults: [] };
  const random = createRandom(seed);
  const between = Math.min(mostBetween, Math.ceil(count / 2));
  for (let sent = 0, turn = 0; sent < count && report.faults.length < 20; sent += between, turn += 1) {
    const [me, other] = turn % 2 === 0 ? people : [people[1], people[0]];
    // The last request of a turn may have signed its person out.
    if ((await other.session.call('GET', '/me')).status === 401) other.session = await signedIn(service, other.person);
    const before = await everythingOf(other);
    const share = Math.ceil(Math.min(between, count - sent) / workers);
    await Promise.all(
      Array.from({ length: workers }, async () => {
        for (let own = 0; own < share; own += 1) await sendOne(random, { service, agent, me, other, report });
      }),
    );
    const after = await everythingOf(other);
    const changed = before.find((text, index) => after[index] !== text);
    if (changed !== undefined)
      report.faults.push(`${me.name} changed what ${other.name} has: ${changed.slice(0, 500)}`);
  }
  agent.destroy();
  return report;
}

/** A person with one of everything, in whose texts there is a canary. */
async function settle(service: TestService, name: string, shared: string, configUri: string): Promise<Someone> {
  const make = makers(service);
  const [person, source] = [await make.person(), await make.dataSource({ configUri })];
  for (const dataSource of [shared, source.id]) await make.permission(dataSource, person.id);
  const session = await signedIn(service, person.id);
  const { id: editor, tabs } = await session.ok('openEditor', 'POST', `/data-source/${shared}/editor`);
  const tab = tabs[0]?.id ?? '';
  const text = `select '${canaryOf(name)}' as x`;
  await session.ok('changeTab', 'POST', `/editor/${editor}/tab/${tab}`, { json: { version: 1, text } });
  const { queryId } = await session.ok('executeInEditor', 'POST', `/editor/${editor}/query`, {
    json: { commands: [text] },
  });
  await queryHelpers(service).completed(queryId);
  const snippet = await session.ok('createMySnippet', 'POST', '/snippet', {
    json: { name: canaryOf(name), description: '', text },
  });
  const ids: [string, string][] = [
    ['dataSource', shared],
    ['dataSource', source.id],
    ['editor', editor],
    ['tab', tab],
    ['query', queryId],
    ['snippet', snippet.id],
    ['snippetVersion', snippet.activeVersion.id],
    ['session', session.session],
  ];
  const known: Known = new Map();
  for (const [kind, id] of ids) known.set(kind, [...(known.get(kind) ?? []), id]);
  return { name, person: person.id, session, known };
}

/** All that a person has, as texts, once nothing of theirs runs. When a session was last used is no part of it. */
async function everythingOf({ session, known }: Someone): Promise<string[]> {
  while ((await session.call('GET', '/query?limit=100')).text.includes('"completedAt":null')) await sleep(20);
  const one = (name: string) => known.get(name)?.[0] ?? '';
  const places = [
    '/me',
    '/session',
    '/factor',
    '/editor',
    `/editor/${one('editor')}`,
    `/editor/${one('editor')}/tab/${one('tab')}`,
    '/query?limit=100',
    `/query/${one('query')}/command`,
    `/snippet/${one('snippet')}`,
    `/snippet/${one('snippet')}/version`,
  ];
  const answers: string[] = [];
  for (const place of places) {
    const { status, text } = await session.call('GET', place);
    answers.push(status === 200 ? text.replaceAll(/"lastUsedAt":"[^"]*"/g, '') : `${place}: ${status}`);
  }
  return answers;
}

interface Sending {
  readonly service: TestService;
  readonly agent: Agent;
  readonly me: Someone;
  readonly other: Someone;
  readonly report: PersonFuzzReport;
}

async function sendOne(random: Random, { service, agent, me, other, report }: Sending): Promise<void> {
  const made = makePersonRequest(random, { headers: me.session.headers, own: me.known, others: other.known });
  const { session } = me;
  const answer = await exchange(made, new URL(service.url), agent);
  const { status, text } = answer;
  report.statuses[status] = (report.statuses[status] ?? 0) + 1;
  const fault = faultOf(made, answer, canaryOf(other.name));
  if (fault !== undefined) report.faults.push(`${fault}: ${show(made)} was answered ${status} ${text.slice(0, 500)}`);
  if (status === 200) remember(made, text, me.known);
  if (made.isSignedIn && codeOf(text) === 'signed_out' && me.session === session) {
    // It signed itself out, or got another session.
    me.session = await signedIn(service, me.person);
  }
}

interface Received {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

function faultOf(made: PersonRequest, { status, type, text }: Received, canary: string): string | undefined {
  if (text.includes(canary)) return "something of the other person's was shown";
  if (status < 400) return undefined;
  if (made.method === 'HEAD') return status >= 500 && status !== 503 ? 'failed' : undefined;
  const code = codeOf(text);
  // A browser that was sent here by another page shows the answer to the person, as it does where there is nothing.
  if (personRouteTable[made.operation].sends?.includes('redirect') === true && type.startsWith('text/plain'))
    return undefined;
  if (made.method === 'GET' && status < 500 && type === 'text/html; charset=utf-8') return undefined;
  if (!type.startsWith('application/problem+json') || code === undefined || !Object.hasOwn(problems, code)) {
    return 'no problem with a known code';
  }
  const documented: readonly string[] = personProblemsOf(personRouteTable[made.operation]);
  if (status >= 500 && !(status === 503 && documented.includes(code))) return 'failed';
  return undefined;
}

function codeOf(text: string): string | undefined {
  try {
    const { code } = JSON.parse(text) as { code?: unknown };
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}

function show({ method, path, headers, body }: PersonRequest): string {
  const { cookie: _cookie, authorization: _token, 'rolecall-csrf': _csrf, ...shown } = headers;
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(shown).slice(0, 300)} ${body?.toString().slice(0, 500) ?? ''}`;
}

/** Sends a request, and reads its answer; of a stream of events only the beginning. */
function exchange({ method, path, headers, body }: PersonRequest, url: URL, agent: Agent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': body.length };
    const options = { agent, host: url.hostname, port: url.port, method, path, headers: { ...headers, ...length } };
    const sent = request(options, (answer) => {
      const type = answer.headers['content-type'] ?? '';
      const chunks: Buffer[] = [];
      const end = () => {
        resolve({ status: answer.statusCode ?? 0, type, text: Buffer.concat(chunks).toString() });
      };
      answer.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (!type.startsWith('text/event-stream')) return;
        end();
        answer.destroy();
      });
      answer.on('error', end);
      answer.on('end', end);
    });
    sent.setTimeout(60_000, () => sent.destroy(new Error('no answer within 60 s')));
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // Where the service answers before all of the body has come it closes the connection, which may be a reset.
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve({ status: 0, type: '', text: '' });
      else reject(new Error(`${method} ${path}`, { cause: error }));
    });
    sent.end(body);
  });
}

const madeBy: Readonly<Record<string, string>> = {
  openEditor: 'editor',
  createTab: 'tab',
  executeInEditor: 'query',
  createMySnippet: 'snippet',
  createMySnippetVersion: 'snippetVersion',
  requestLogin: 'code',
};

/** Keeps identifiers of what was made, for later requests. The first ones stay: they have the canary. */
function remember({ operation }: PersonRequest, text: string, known: Known): void {
  const name = madeBy[operation];
  if (name === undefined) return;
  const { id, queryId, code } = JSON.parse(text || '{}') as Record<string, unknown>;
  const [first, ...later] = known.get(name) ?? [];
  const ids = [...later, String(id ?? queryId ?? code)].slice(-20);
  known.set(name, first === undefined ? ids : [first, ...ids]);
}
