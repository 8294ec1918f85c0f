import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Client, createClient } from '@rolecall/api';
import { converge, createView, type DesiredObject, makePlan, type Plan } from '@rolecall/reconcile';
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
    const people = new Set((await direct.call('listPeople', {})).map(({ id }) => id));
    const before = await access(direct, people);
    const result = await run(desired, more, client, 1);
    assert.deepEqual([result.failed, result.notRun], [[], []]);
    return { people, before, calls: proxy.writes(), state: await dump(direct), after: await access(direct, people) };
  });
  const steady = [...expected.before.intersection(expected.after)];
  const either = expected.before.union(expected.after);

  return {
    calls: expected.calls,
    survive: (fault, concurrency = 1) =>
      fromStart(async ({ client, direct, proxy, watch, clock }) => {
        const moment: Moment = { planned: now, plan: undefined, calls: [] };
        const onPlan = (plan: Plan): void => {
          moment.plan = plan;
        };
        watch(async (request) => {
          const time = clock().toISOString();
          moment.calls.push(`${time} ${request}`);
          const reached = await access(direct, expected.people);
          const missing = steady.filter((pair) => !reached.has(pair));
          const leaked = [...reached].filter((pair) => !either.has(pair));
          if (missing.length + leaked.length === 0) return;
          const what =
            missing.length > 0
              ? `access was interrupted: ${missing.join(', ')}`
              : `neither state gives: ${leaked.join(', ')}`;
          throw new Error(`${what}\n${await describeMoment(moment, clock, direct)}`);
        });
        proxy.arm(fault);
        await run(desired, more, client, concurrency, onPlan);
        proxy.arm(undefined);
        const result = await run(desired, more, client, concurrency, onPlan);
        assert.deepEqual([result.failed, result.notRun], [[], []], 'the run after the fault fails');
        assert.deepEqual(await dump(direct), expected.state, 'the end state is another one');
        const settled = { ...more, overrides: [] };
        const { steps } = await makePlan(
          stateOf(desired, settled),
          createView(direct, { isWhole: true }),
          optionsOf(settled),
        );
        assert.deepEqual(steps, [], 'there is still something to do');
      }),
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true });
      await Promise.resolve();
    },
  };
}

/** What a failure is replayed from: without it, one that came once tells nothing. */
interface Moment {
  /** The time of every plan. */
  readonly planned: Date;
  /** The plan under way. */
  plan: Plan | undefined;
  /** Each call that was made, with the time of the service. */
  readonly calls: string[];
}

/** The clocks, the calls, the plan and the store of a moment, a line each. */
async function describeMoment({ planned, plan, calls }: Moment, clock: () => Date, client: Client): Promise<string> {
  const clocks = { plan: planned, service: clock(), machine: new Date() };
  const store = await client.call('readSnapshot', { query: { include: 'snippets' } });
  const { steps, gates } = plan ?? {};
  return Object.entries({ clocks, calls, steps, gates, store })
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join('\n');
}

interface Opened {
  /** Through the proxy. */
  client: Client;
  direct: Client;
  proxy: FaultProxy;
  /** What to look at after each call that writes. */
  watch: (look: Look) => void;
  /** The service's. */
  clock: () => Date;
}

type Look = (request: string) => Promise<void>;

/** @param begin the service's time at its start */
async function withService<T>(
  dataDir: string,
  key: { id: string; secret: string },
  begin: Date,
  use: (opened: Opened) => Promise<T>,
): Promise<T> {
  // Each look at it takes a millisecond, and the machine's speed none.
  let time = begin.getTime();
  const clock = () => new Date(time++);
  const service: Service = await startService({ dataDir, ...onThisMachine, clock });
  let look: Look = () => Promise.resolve();
  let seen: Error | undefined;
  const proxy = await startFaultProxy(service.url, (request) =>
    look(request).catch((error: unknown) => {
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
      clock,
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

async function run(
  objects: readonly DesiredObject[],
  more: More & { now: Date },
  client: Client,
  concurrency: number,
  onPlan: (plan: Plan) => void = () => undefined,
) {
  const options = optionsOf(await withNeededOverrides(objects, more, client));
  const plan = await makePlan(stateOf(objects, more), createView(client, { isWhole: true }), options);
  assert.deepEqual(plan.refusals, []);
  onPlan(plan);
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
