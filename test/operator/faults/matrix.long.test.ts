import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { type Fault, isWatch } from '../../support/kubernetes/fault-proxy.ts';
import { isWrite, type ProxiedRequest, type RequestFault } from '../../support/request-fault.ts';
import { person } from '../support/definitions.ts';
import { readyOf } from '../support/installation.ts';
import { simulate } from '../support/simulation.ts';
import { useCluster } from '../support/suite.ts';
import type { TestWorkspace } from '../support/workspace.ts';

/** How long a fault lasts, in simulated time, and how long it may take until everything is well after it. */
const lasts = 20_000;
const patience = 10 * 60_000;
/** What eight collections and three objects may ask in that time, with a back-off; a loop without one asks thousands. */
const mostRequests = 110;
/** In the second after it: no more than once for each of them. */
const mostAtOnce = 30;

const ofService: Readonly<Record<string, (request: ProxiedRequest) => RequestFault | undefined>> = {
  '500 to everything': () => ({ answer: 500 }),
  '503 with Retry-After': () => ({ answer: 503, headers: { 'retry-after': '1' } }),
  '429 with Retry-After': () => ({ answer: 429, headers: { 'retry-after': '1' } }),
  '409 to every change': (request) => (isWrite(request) ? { answer: 409 } : undefined),
  'answers that are late': () => ({ delayMs: 150 }),
  'answers of something else': () => ({ answer: 200, headers: { 'content-type': 'text/html' }, body: 'Welcome!' }),
  'connections that are cut': () => 'cut',
  'answers to changes that are lost': (request) => (isWrite(request) ? 'lost answer' : undefined),
};

const ofApiserver: Readonly<Record<string, (request: ProxiedRequest) => Fault | undefined>> = {
  '500 to everything': () => ({ answer: 500 }),
  '429 with Retry-After': () => ({ answer: 429, headers: { 'retry-after': '2' } }),
  '409 to every change': (request) => (isWrite(request) ? { answer: 409 } : undefined),
  '410 to watches': (request) => (isWatch(request) ? { answer: 410 } : undefined),
  '410 to lists and watches': (request) => (isWrite(request) ? undefined : { answer: 410 }),
  'answers that are late': (request) => (isWatch(request) ? undefined : { delayMs: 150 }),
  'connections that are cut': () => 'cut',
  'answers to changes that are lost': (request) => (isWrite(request) ? 'lost answer' : undefined),
  'watches that bring nothing': (request) => (isWatch(request) ? 'silent watch' : undefined),
};

describe('the whole operator, while something fails in front of it', requires('kubernetes'), () => {
  const suite = useCluster();
  let workspace: TestWorkspace;

  /** Makes one, changes one and deletes one while it fails, and holds the operator to what it may ask and has to come to. */
  async function survives(begin: () => void, requests: () => number): Promise<void> {
    workspace = await suite.startWorkspace();
    const { client, proxy } = workspace;
    const space = await suite.all.namespace({}, workspace);
    const simulation = await simulate(suite.all, workspace, { namespace: space.name, driftMs: 60_000 });
    const bookmarks = suite.all.proxy.fault;
    suite.running.push(simulation.operator);
    const isReady = async (name: string, generation: number) => {
      const object = await space.get('Person', name);
      const seen = object?.status?.['observedGeneration'];
      return readyOf(object)?.status === 'True' && seen === generation;
    };
    for (const name of ['stays', 'changes', 'goes']) await space.create('Person', name, person(name));
    for (const name of ['stays', 'changes', 'goes']) await simulation.passUntil(() => isReady(name, 1), patience);
    const from = proxy.requests.length;
    begin();
    await space.create('Person', 'new', person('new'));
    await space.patch('Person', 'changes', { spec: { locked: true } });
    await space.remove('Person', 'goes');
    const asked = requests();
    await simulation.pass(lasts);
    const during = requests() - asked;
    assert.ok(during <= mostRequests, `${during} requests in ${lasts / 1000} s`);
    suite.all.proxy.fault = bookmarks;
    workspace.proxy.fault = () => undefined;
    const over = requests();
    await simulation.pass(1_000);
    assert.ok(requests() - over <= mostAtOnce, `${requests() - over} requests in the second after it`);
    await simulation.passUntil(
      async () =>
        (await isReady('new', 1)) && (await isReady('changes', 2)) && (await space.get('Person', 'goes')) === undefined,
      patience,
    );
    const people = await client.call('listPeople', {});
    const state = people.map(({ username, isLocked }) => `${username} ${isLocked}`).sort();
    assert.deepEqual(state, ['changes true', 'new false', 'stays false']);
    const done = proxy.requests.slice(from).filter((one) => isWrite(one) && one.status === 200 && !one.isReplayed);
    const made = done.filter(({ method, path }) => method === 'POST' && path.endsWith('/person'));
    assert.equal(made.length, 1, 'made twice');
    assert.equal(done.filter(({ method }) => method === 'DELETE').length, 1, 'removed twice');
  }

  for (const [what, fault] of Object.entries(ofService)) {
    it(`the service: ${what}`, async () => {
      await survives(
        () => {
          workspace.proxy.fault = fault;
        },
        () => workspace.proxy.requests.length,
      );
    });
  }

  for (const [what, fault] of Object.entries(ofApiserver)) {
    it(`the API server: ${what}`, async () => {
      await survives(
        () => {
          const bookmarks = suite.all.proxy.fault;
          suite.all.proxy.fault = (request) => fault(request) ?? bookmarks(request);
          // Watches that are open would go on as if nothing were.
          suite.all.proxy.cut();
        },
        () => suite.all.proxy.requests.length,
      );
    });
  }

  it('the service: requests that are never answered are given up, said of the objects, and nothing is done twice', async () => {
    workspace = await suite.startWorkspace();
    const { proxy } = workspace;
    const space = await suite.all.namespace({}, workspace);
    await suite.operate({ namespace: space.name, answerMs: 300 });
    await space.create('Person', 'before', person('before'));
    await space.reason('Person', 'before', 'Converged');
    proxy.fault = () => 'no answer';
    const asked = proxy.requests.length;
    await space.create('Person', 'after', person('after'));
    assert.match(await space.reason('Person', 'after', 'Failed'), /did not answer within 300 ms/);
    assert.match(await space.reason('Workspace', 'workspace', 'Unreachable'), /did not answer within 300 ms/);
    const requests = proxy.requests.length - asked;
    assert.ok(requests <= mostAtOnce, `${requests} requests`);
    proxy.fault = () => undefined;
    await space.reason('Person', 'after', 'Converged');
    const people = await workspace.client.call('listPeople', {});
    assert.deepEqual(people.map(({ username }) => username).sort(), ['after', 'before']);
  });

  it('the API server: who is asked to wait before writing again waits, and writes to others meanwhile', async () => {
    workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    const simulation = await simulate(suite.all, workspace, { namespace: space.name, driftMs: 60_000 });
    const bookmarks = suite.all.proxy.fault;
    suite.running.push(simulation.operator);
    const busy = (path: string): boolean => path.includes('/people/busy');
    const isReady = (name: string) => async () => readyOf(await space.get('Person', name))?.status === 'True';
    suite.all.proxy.fault = (request) =>
      isWrite(request) && busy(request.path) ? { answer: 429, headers: { 'retry-after': '30' } } : bookmarks(request);
    await space.create('Person', 'first', person('first'));
    await simulation.passUntil(isReady('first'), patience);
    await simulation.pass(5_000);
    const tries = () => suite.all.proxy.requests.filter((one) => isWrite(one) && busy(one.path)).length;
    await space.create('Person', 'busy', person('busy'));
    await simulation.passUntil(() => tries() > 0, patience);
    await space.create('Person', 'other', person('other'));
    const took = await simulation.passUntil(isReady('other'), patience);
    assert.ok(took <= 5_000, `the other one took ${took} ms`);
    await simulation.pass(lasts);
    assert.equal(tries(), 1);
    suite.all.proxy.fault = bookmarks;
    await simulation.passUntil(isReady('busy'), 15_000);
  });

  it('the API server: connections that hang and never say so are given up, and nothing is done twice', async () => {
    workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    await suite.operate({ namespace: space.name }, { everyMs: 500, withinMs: 500 });
    await space.create('Person', 'before', person('before'));
    await space.reason('Person', 'before', 'Converged');
    suite.all.proxy.hang();
    const asked = suite.all.proxy.requests.length;
    await space.create('Person', 'after', person('after'));
    await space.reason('Person', 'after', 'Converged');
    const requests = suite.all.proxy.requests.length - asked;
    assert.ok(requests <= mostAtOnce, `${requests} requests`);
    const made = workspace.proxy.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/person'));
    assert.equal(made.length, 2);
  });
});
