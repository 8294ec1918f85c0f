/** Nothing here depends on how fast the machine is: each step waits for what the one before has brought about. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { valueOf } from '../../../server/support/metrics.ts';
import { basic } from '../../../server/support/service.ts';
import { type Running, runCommand, startCommand, startInProcess } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Served {
  readonly url: string;
  readonly metricsUrl: string;
}

const options = (dataDir: string): string[] =>
  'serve --port 0 --metrics-port 0 --log-level error --data'.split(' ').concat(dataDir);

async function serve<R extends Pick<Running, 'prints'>>(started: R): Promise<R & Served> {
  const printed = await started.prints(/Ctrl-C stops it/);
  const [, url = '', metricsUrl = ''] = /is at (http:\S+),.*\nMetrics are at (http:\S+),/.exec(printed) ?? [];
  return { ...started, url, metricsUrl };
}

async function makeKey(dataDir: string): Promise<string> {
  const made = await runCommand(['keys', 'create', '--data', dataDir, '--scope', 'admin', '--format', 'json']);
  return basic(JSON.parse(made.stdout) as { id: string; secret: string });
}

const person = (username: string) => JSON.stringify({ name: 'x', username, email: `${username}@example.com` });
const names = (prefix: string) => Array.from({ length: 16 }, (_, index) => `${prefix}${index}`);

const readiness = async ({ url }: Served) => (await fetch(`${url}/readyz`)).status;

/** Who is there once the service runs again. */
async function peopleOf(dataDir: string, authorization: string): Promise<string[]> {
  const again = await serve(startInProcess(options(dataDir)));
  const answer = await fetch(`${again.url}/api/v2/person`, { headers: { authorization } });
  const people = (await answer.json()) as { username: string }[];
  again.signal('SIGTERM');
  await again.finished;
  return people.map(({ username }) => username).sort();
}

describe('rolecall serve that is told to end', () => {
  it('takes everything for --shutdown-grace and says that it is not ready; a further signal ends it at once', async () => {
    using folder = temporaryFolder();
    const dataDir = path.join(folder.path, 'data');
    const authorization = await makeKey(dataDir);
    const served = await serve(startCommand([...options(dataDir), '--shutdown-grace', '1h']));
    assert.equal(await readiness(served), 200);
    served.child.kill('SIGTERM');
    while ((await readiness(served)) === 200) await sleep(5);
    assert.equal(await readiness(served), 503);
    const headers = { authorization, 'content-type': 'application/json', connection: 'close' };
    for (const name of names('late')) {
      const answer = await fetch(`${served.url}/api/v2/person`, { method: 'POST', headers, body: person(name) });
      assert.equal(answer.status, 200);
    }
    assert.equal(await readiness(served), 503);
    // One that comes right after the first would be taken for the same, sent twice.
    const over = new AbortController();
    const ended = served.finished.finally(() => {
      over.abort();
    });
    while (!over.signal.aborted) {
      served.child.kill('SIGTERM');
      await sleep(50);
    }
    assert.equal((await ended).code, 130);
    assert.deepEqual(await peopleOf(dataDir, authorization), names('late').sort());
  });

  it('answers what it has begun to read, and takes no new connection', async () => {
    using folder = temporaryFolder();
    const dataDir = path.join(folder.path, 'data');
    const authorization = await makeKey(dataDir);
    const served = await serve(startInProcess(options(dataDir)));
    const agent = new Agent({ keepAlive: true });
    const begun = names('open').map((name) => begin(served, authorization, agent, person(name)));
    const working = async () =>
      valueOf(await (await fetch(served.metricsUrl)).text(), 'rolecall_http_requests_in_flight') ?? 0;
    while ((await working()) < begun.length) await sleep(5);
    served.signal('SIGTERM');
    while ((await readiness(served).catch(() => undefined)) !== undefined) await sleep(5);
    const answers = await Promise.all(begun.map(({ finish }) => finish()));
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      begun.map(() => 200),
    );
    assert.equal((await served.finished).code, 0);
    agent.destroy();
    assert.deepEqual(await peopleOf(dataDir, authorization), names('open').sort());
  });
});

/** Sends all of a request but the end of its body. */
function begin({ url }: Served, authorization: string, agent: Agent, body: string) {
  const headers = { authorization, 'content-type': 'application/json', 'content-length': body.length };
  const sent: ClientRequest = request(`${url}/api/v2/person`, { method: 'POST', headers, agent });
  sent.write(body.slice(0, -1));
  const finish = async (): Promise<IncomingMessage> => {
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    sent.end(body.slice(-1));
    const [answer] = await answered;
    answer.resume();
    return answer;
  };
  return { finish };
}
