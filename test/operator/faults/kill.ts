import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '@rolecall/api';
import { access, dump } from '../../reconcile/crash/dump.ts';
import { ask, type KubeObject, until } from '../../support/kubernetes/admin-client.ts';
import { isWrite, type ProxiedRequest } from '../../support/request-fault.ts';
import { type Cluster, type Installation, type Namespace, readyOf } from '../support/installation.ts';
import type { ServiceRequest } from '../support/service-proxy.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';
import type { Declared, Transition } from './catalogue.ts';

/**
 * When a process is killed: at which of its writes, to the API server and the service together, and on which side of it, or
 * so long after its first write.
 */
export type Kill = { readonly write: number; readonly side: 'before' | 'after' } | { readonly afterMs: number };

/** Starts an operator that looks after a namespace; gives what ends it, after which nothing of it is left. */
export type Start = (all: Cluster, namespace: string) => Promise<() => Promise<void>>;

/** In this process, one call at a time. Once nothing of it gets through any more, it is as good as killed. */
const inProcess: Start = async (all, namespace) => (await all.operate({ namespace, concurrency: 1 })).stop;

/** What a run without a kill came to. */
export interface Expected {
  /** How many writes it took. */
  readonly writes: number;
  readonly state: unknown;
  /** What was made and what was removed in the workspace, one line a call. */
  readonly changes: readonly string[];
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
}

/** Runs a transition that nothing goes wrong with. */
export async function runUndisturbed(all: Cluster, transition: Transition): Promise<Expected> {
  await using scene = await setUp(all, transition);
  const { workspace } = scene;
  const from = marks(all, workspace);
  const operator = await all.operate({ namespace: scene.space.name, concurrency: 1 });
  // What drifted says that it is as declared until it was looked at.
  await until(() => writesSince(all, workspace, from) > 0, 'a first write');
  await until(() => scene.isDone(), 'the end of an undisturbed run');
  // Longer than the pause before waiting objects are reconciled again.
  await quiet(all, workspace, 2_000);
  assert.ok(await scene.isDone(), `it was done, and then not any more: ${await scene.pending()}`);
  await operator.stop();
  return {
    writes: writesSince(all, workspace, from),
    state: await scene.state(),
    changes: changesSince(workspace, from.service),
    before: scene.reached,
    after: await access(workspace.client),
  };
}

/**
 * Kills the process that makes a transition at one of its writes, and lets another one finish it.
 *
 * @throws where the end is another one than undisturbed, something was made or removed twice, or access was interrupted
 */
export async function surviveKill(
  all: Cluster,
  transition: Transition,
  expected: Expected,
  kill: Kill,
  start: Start = inProcess,
): Promise<void> {
  try {
    await killAndFinish(all, transition, expected, kill, start);
  } catch (error) {
    throw new Error(`killed at ${JSON.stringify(kill)} of ${expected.writes} writes`, { cause: error });
  }
}

async function killAndFinish(all: Cluster, transition: Transition, expected: Expected, kill: Kill, start: Start) {
  await using scene = await setUp(all, transition);
  const { workspace, space } = scene;
  const from = marks(all, workspace);
  const interrupted = watchAccess(workspace, expected);
  const gate = arm(all, workspace, kill);
  await using first = killedAtTheEnd(await start(all, space.name));
  // Which of two writes comes first may differ from run to run, and with it how many there are.
  await until(async () => gate.isShut() || ((await scene.isDone()) && (await isAs(expected, scene))), 'the kill');
  gate.shut();
  await first.kill();
  gate.open();
  await using second = killedAtTheEnd(await start(all, space.name));
  await until(async () => (await scene.isDone()) && (await isAs(expected, scene))).catch(async (error: unknown) => {
    assert.deepEqual(await scene.state(), expected.state, 'the end is another one');
    throw new Error(`objects are not done: ${await scene.pending()}`, { cause: error });
  });
  await quiet(all, workspace, 120);
  assert.deepEqual(await scene.state(), expected.state, 'the end did not last');
  assert.ok(await scene.isDone(), `objects are not done any more: ${await scene.pending()}`);
  await second.kill();
  assert.deepEqual(changesSince(workspace, from.service), expected.changes, 'not made and removed once each');
  assert.deepEqual(interrupted, [], 'access was interrupted');
}

/** A process that is killed once: where the test wants it, or else when that fails. */
function killedAtTheEnd(end: () => Promise<void>): AsyncDisposable & { readonly kill: () => Promise<void> } {
  let killed: Promise<void> | undefined;
  const kill = (): Promise<void> => (killed ??= end());
  return { kill, [Symbol.asyncDispose]: kill };
}

interface Scene extends AsyncDisposable {
  readonly space: Namespace;
  readonly workspace: TestWorkspace;
  /** Who reached what in the first state. */
  readonly reached: ReadonlySet<string>;
  /** Whether every object says that it is as declared, and those that were deleted are gone. */
  readonly isDone: () => Promise<boolean>;
  readonly pending: () => Promise<string>;
  readonly state: () => Promise<unknown>;
}

/** Makes the first state with an operator, and then declares the second one while none runs. */
async function setUp(all: Cluster, transition: Transition): Promise<Scene> {
  const workspace = await startWorkspace();
  await transition.first?.(workspace.client);
  const space = await all.namespace(transition.workspace, workspace);
  const secret = `/api/v1/namespaces/${space.name}/secrets`;
  await ask(all.kube, 'POST', secret, { metadata: { name: 'billing-db' }, stringData: { password: 'old secret' } });
  const isSettled = async (declared: Declared) => (await pendingOf(space, declared, [])) === '';
  if (Object.keys(transition.before).length > 0) {
    await declare(space, {}, transition.before);
    const operator = await all.operate({ namespace: space.name });
    await until(() => isSettled(transition.before), 'the first state');
    await operator.stop();
  }
  await transition.besides?.(workspace.client);
  const reached = await access(workspace.client);
  await declare(space, transition.before, transition.after);
  if (transition.rotates === true) {
    const stringData = { password: 'new secret' };
    await ask(all.kube, 'PATCH', `${secret}/billing-db`, { stringData }, 'application/merge-patch+json');
  }
  if (transition.leaves === true) await space.remove('Workspace', 'workspace');
  const gone = Object.keys(transition.before).filter((name) => !Object.hasOwn(transition.after, name));
  const leaving = [...gone, ...(transition.leaves === true ? ['Workspace/workspace'] : [])];
  const pending = (): Promise<string> => pendingOf(space, transition.after, leaving);
  return {
    space,
    workspace,
    reached,
    pending,
    isDone: async () => (await pending()) === '',
    state: async () => comparable(await dump(workspace.client)),
    [Symbol.asyncDispose]: () => workspace.stop(),
  };
}

async function declare(space: Namespace, before: Declared, after: Declared): Promise<void> {
  for (const [label, { spec }] of Object.entries(after)) {
    const [kind = '', name = ''] = label.split('/');
    const old = before[label];
    if (old === undefined) await space.create(kind, name, spec);
    else if (old !== after[label]) {
      const gone = Object.fromEntries(Object.keys(old.spec).map((field) => [field, null]));
      await space.patch(kind, name, { spec: { ...gone, ...spec } });
    }
  }
  for (const label of Object.keys(before).filter((one) => !Object.hasOwn(after, one))) {
    const [kind = '', name = ''] = label.split('/');
    await space.remove(kind, name);
  }
}

/** @returns the first object that is not done, and what it says; empty where there is none */
async function pendingOf(space: Namespace, declared: Declared, leaving: readonly string[]): Promise<string> {
  for (const label of Object.keys(declared)) {
    const [kind = '', name = ''] = label.split('/');
    const object = await space.get(kind, name);
    const ready = readyOf(object);
    const isSeen = object?.status?.['observedGeneration'] === object?.metadata.generation;
    if (ready?.status !== 'True' || !isSeen) return `${label} ${JSON.stringify(ready)}`;
  }
  for (const label of leaving) {
    const [kind = '', name = ''] = label.split('/');
    const object: KubeObject | undefined = await space.get(kind, name);
    if (object !== undefined) return `${label} is still there: ${JSON.stringify(readyOf(object))}`;
  }
  return '';
}

async function isAs({ state }: Expected, scene: Scene): Promise<boolean> {
  try {
    return JSON.stringify(await scene.state()) === JSON.stringify(state);
  } catch (error) {
    // What was listed is gone before its members were asked for: an operator is at work.
    if (error instanceof ProblemError && error.kind === 'not-found') return false;
    throw error;
  }
}

/** The windows of permissions begin when they are granted: what is alike is their end, or their length where only that is given. */
function comparable(state: unknown): unknown {
  const { permissions, ...rest } = state as { permissions: [string, string, string, string][] };
  const day = 86_400_000;
  const windows = permissions.map(([who, what, startsAt, expiresAt]) => {
    const length = Date.parse(expiresAt) - Date.parse(startsAt);
    return [who, what, length <= day ? length : expiresAt];
  });
  return { ...rest, permissions: windows };
}

/** Lets nothing through from one write on. */
function arm(all: Cluster, workspace: TestWorkspace, kill: Kill) {
  let [count, isShut] = [0, false];
  const fault = (request: ProxiedRequest) => {
    if (isShut) return 'cut' as const;
    if (!isWrite(request)) return undefined;
    count += 1;
    if ('afterMs' in kill) {
      if (count === 1) void sleep(kill.afterMs).then(() => (isShut = true));
      return undefined;
    }
    if (count <= kill.write) return undefined;
    isShut = true;
    return kill.side === 'before' ? ('cut' as const) : ('lost answer' as const);
  };
  all.proxy.fault = fault;
  workspace.proxy.fault = fault;
  return {
    isShut: () => isShut,
    shut: () => {
      isShut = true;
    },
    open: () => {
      all.proxy.fault = () => undefined;
      workspace.proxy.fault = () => undefined;
    },
  };
}

/** Notes whenever someone does not reach what both states give, after each change of the workspace. */
function watchAccess({ proxy, client }: TestWorkspace, { before, after }: Expected) {
  const interrupted: string[] = [];
  const steady = [...before].filter((pair) => after.has(pair));
  proxy.onWritten = async ({ method, path }) => {
    const reached = steady.length === 0 ? new Set() : await access(client);
    const missing = steady.filter((pair) => !reached.has(pair));
    if (missing.length > 0) interrupted.push(`${missing.join(', ')} after ${method} ${path}`);
  };
  return interrupted;
}

interface Marks {
  readonly kube: number;
  readonly service: number;
}

const marks = ({ proxy }: Cluster, workspace: TestWorkspace): Marks => ({
  kube: proxy.requests.length,
  service: workspace.proxy.requests.length,
});

function writesSince({ proxy }: Cluster, workspace: TestWorkspace, { kube, service }: Marks): number {
  return [...proxy.requests.slice(kube), ...workspace.proxy.requests.slice(service)].filter(isWrite).length;
}

/** What was made and removed, without ids, in no order. */
function changesSince({ proxy }: TestWorkspace, from: number): string[] {
  return proxy.requests
    .slice(from)
    .filter((request) => request.status === 200 && !request.isReplayed && isChange(request))
    .map(({ method, path }) => `${method} ${path.replaceAll(/\/[A-Za-z0-9]{12}\b/g, '/:id')}`)
    .sort();
}

/** Calls that are not the same when they are made twice: a thing more, or something else that is gone. */
function isChange({ method, path }: ServiceRequest): boolean {
  if (method === 'DELETE') return true;
  return method === 'POST' && /\/(person|role|data-source|snippet|version|permission)$|\/permission\//.test(path);
}

/** Waits until no one has asked anything for a while. */
export async function quiet({ proxy }: Installation, workspace: TestWorkspace, ms: number): Promise<void> {
  const seen = (): number => proxy.requests.length + workspace.proxy.requests.length;
  const busy = (): number => proxy.inFlight() + workspace.proxy.inFlight();
  // Checks are counted, not time: a machine that stood still for a while was not quiet.
  for (let [last, looks] = [-1, 0]; looks < ms / 20; looks += 1) {
    if (seen() !== last || busy() > 0) [last, looks] = [seen(), 0];
    await sleep(20);
  }
}
