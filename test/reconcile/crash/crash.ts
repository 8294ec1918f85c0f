import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Client, createClient } from '@rolecall/api';
import { converge, createView, type DesiredObject, makePlan } from '@rolecall/reconcile';
import { createKey, type Service, startService } from '@rolecall/server';
import { onThisMachine } from '../../support/guard.ts';
import { type More, optionsOf, stateOf, withNeededOverrides } from '../support.ts';
import { access, dump } from './dump.ts';
import { type Fault, type FaultProxy, startFaultProxy } from './fault-proxy.ts';

/** From one declared state to another one. */
export interface Transition {
  before: readonly DesiredObject[];
  /** What people did to the workspace besides. */
  besides?: (client: Client) => Promise<void>;
  /** @param ids of the objects of before, by `Kind/name`, for front ends that remember them */
  after: (ids: ReadonlyMap<string, string>) => readonly DesiredObject[];
  /** Its overrides are given only where something is refused: one that overrides nothing is a mistake. */
  more?: More;
  /** People who are deleted and made again, which interrupts their access. */
  replaced?: readonly string[];
}

/** A transition whose beginning is there, to be run as often as there are faults. */
export interface Prepared extends AsyncDisposable {
  /** How many calls write in a run without a fault. */
  readonly calls: number;
  /** Runs the transition with a fault, then again without, and compares. Fails where anything is not as it should be. */
  readonly survive: (fault: { kind: Fault; after: number }, concurrency?: number) => Promise<void>;
}

/** Makes the first state, and finds out what a run without a fault comes to. */
export async function prepare(transition: Transition): Promise<Prepared> {
  const folder = mkdtempSync(path.join(tmpdir(), 'rolecall-crash-'));
  const start = path.join(folder, 'start');
  const key = await createKey({ dataDir: start, scope: 'admin' });
  const ids = new Map<string, string>();
  await withService(start, key, new Date(), async ({ client }) => {
    await run(transition.before, { now: new Date() }, client, 4);
    await transition.besides?.(client);
    for (const [name, id] of await idsOf(client)) ids.set(name, id);
  });
  const desired = transition.after(ids);
  let count = 0;
  // Of every plan, since a permission whose start is open is granted from here.
  const now = new Date();
  const more = { ...transition.more, now };

  /** Each run begins with the same store, byte for byte, and at the same time: a plan takes a permission that began a minute after its own time for one of later. */
  const fromStart = async <T>(use: (opened: Opened) => Promise<T>): Promise<T> => {
    count += 1;
    const copy = path.join(folder, String(count));
    cpSync(start, copy, { recursive: true });
    try {
      return await withService(copy, key, now, use);
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  };

  const expected = await fromStart(async ({ client, direct, proxy }) => {
    const before = await access(direct);
    const result = await run(desired, more, client, 1);
    assert.deepEqual([result.failed, result.notRun], [[], []]);
    return { before, calls: proxy.writes(), state: await dump(direct), after: await access(direct) };
  });
  const replaced = new Set(transition.replaced ?? []);
  const steady = [...expected.before.intersection(expected.after)].filter((pair) => !replaced.has(pair.split(' ')[0]!));
  const either = expected.before.union(expected.after);

  return {
    calls: expected.calls,
    survive: (fault, concurrency = 1) =>
      fromStart(async ({ client, direct, proxy, watch }) => {
        watch(async () => {
          const reached = await access(direct);
          const missing = steady.filter((pair) => !reached.has(pair));
          if (missing.length > 0) throw new Error(`access was interrupted: ${missing.join(', ')}`);
          const leaked = [...reached].filter((pair) => !either.has(pair));
          if (leaked.length > 0) throw new Error(`neither state gives: ${leaked.join(', ')}`);
        });
        proxy.arm(fault);
        await run(desired, more, client, concurrency);
        proxy.arm(undefined);
        const result = await run(desired, more, client, concurrency);
        assert.deepEqual([result.failed, result.notRun], [[], []], 'the run after the fault fails');
        assert.deepEqual(await dump(direct), expected.state, 'the end state is another one');
        const settled = { ...more, overrides: [] };
        const { steps } = await makePlan(stateOf(desired, settled), createView(direct), optionsOf(settled));
        assert.deepEqual(steps, [], 'there is still something to do');
      }),
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true });
      await Promise.resolve();
    },
  };
}

interface Opened {
  /** Through the proxy. */
  client: Client;
  direct: Client;
  proxy: FaultProxy;
  /** What to look at after each call that writes. */
  watch: (look: () => Promise<void>) => void;
}

/** @param begin the service's time at its start */
async function withService<T>(
  dataDir: string,
  key: { id: string; secret: string },
  begin: Date,
  use: (opened: Opened) => Promise<T>,
): Promise<T> {
  const begun = performance.now();
  const clock = () => new Date(begin.getTime() + performance.now() - begun);
  const service: Service = await startService({ dataDir, ...onThisMachine, clock });
  let look = (): Promise<void> => Promise.resolve();
  let seen: Error | undefined;
  const proxy = await startFaultProxy(service.url, () =>
    look().catch((error: unknown) => {
      seen ??= error instanceof Error ? error : new Error(String(error));
    }),
  );
  const options = { keyId: key.id, keySecret: key.secret, sleep: () => Promise.resolve() };
  const client = createClient({ ...options, url: proxy.url, retries: { attempts: 3 } });
  const direct = createClient({ ...options, url: service.url });
  try {
    const result = await use({
      client,
      direct,
      proxy,
      watch: (next) => {
        look = next;
      },
    });
    if (seen !== undefined) throw seen;
    return result;
  } finally {
    await Promise.all([client.close(), direct.close()]);
    await proxy[Symbol.asyncDispose]();
    await service.close();
  }
}

async function run(objects: readonly DesiredObject[], more: More & { now: Date }, client: Client, concurrency: number) {
  const options = optionsOf(await withNeededOverrides(objects, more, client));
  const plan = await makePlan(stateOf(objects, more), createView(client), options);
  assert.deepEqual(plan.refusals, []);
  return converge(plan, client, { ...options, concurrency });
}

async function idsOf(client: Client): Promise<(readonly [string, string])[]> {
  const [people, roles, dataSources, permissions, snippets] = await Promise.all([
    client.call('listPeople', {}),
    client.call('listRoles', {}),
    client.call('listDataSources', {}),
    client.call('listPermissions', {}),
    client.call('listSnippets', {}),
  ]);
  return [
    ...people.map(({ id, username }) => [`Person/${username}`, id] as const),
    ...roles.map(({ id, name }) => [`Role/${name}`, id] as const),
    ...dataSources.map(({ id, alias }) => [`DataSource/${alias ?? ''}`, id] as const),
    ...permissions.map(
      ({ id, person, dataSource }) => [`Permission/${person.username}-${dataSource.alias ?? ''}`, id] as const,
    ),
    ...snippets.map(({ id, activeVersion }) => [`Snippet/${activeVersion.name}`, id] as const),
  ];
}
