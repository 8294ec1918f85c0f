import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe } from 'node:test';
import { type Client, createClient } from '@rolecall/api';
import { defaultRails } from '@rolecall/crds';
import {
  type Converged,
  converge,
  createView,
  type DesiredObject,
  type DesiredOf,
  type DesiredState,
  type Fit,
  findAbsent,
  type KindName,
  makePlan,
  managerOf,
  type Plan,
  type PlanOptions,
  recordDeclarations,
  type View,
} from '@rolecall/reconcile';
import { startService } from '@rolecall/server';
import { onThisMachine } from '../support/guard.ts';
import { fillDataDir } from '../support/new-store.ts';
import { assertPlanSchema } from '../support/plan-schema.ts';
import { propertyRuns } from '../support/property-runs.ts';

export interface Workspace {
  client: Client;
  /** A client whose writes carry the name of a manager. */
  as(manager: string): Client;
  /** The operations that were called since the last look, in order. */
  takeCalls(): string[];
  /** A view that reads as the tests of this workspace do. */
  createView(): View;
  plan(objects: readonly DesiredObject[], more?: More): Promise<Plan>;
  apply(objects: readonly DesiredObject[], more?: More): Promise<{ plan: Plan; result: Converged }>;
  /** Plans what is left once definitions were deleted. */
  planWithout(deleted: readonly DesiredObject[], objects: readonly DesiredObject[], more?: More): Promise<Plan>;
}

export type More = Partial<Pick<DesiredState, 'exact' | 'rails' | 'absent'>> &
  Partial<Pick<PlanOptions, 'now' | 'overrides' | 'isOneByOne'>> & {
    secrets?: Record<string, string>;
    /** The name of the set of definitions, where the service is to remember it. */
    set?: string;
    /** Whether the definitions are all of the set. */
    fit?: Fit;
  };

/** How the engine reads a workspace: each list when it is asked for, or everything in one call. */
export type Reading = 'by lists' | 'in one call';

export const bothReadings: readonly Reading[] = ['in one call', 'by lists'];

/** As the command line and the operator read a workspace; where properties get all their cases, as the provider does, too. */
const quickReadings = bothReadings.slice(0, propertyRuns({ quick: 1, all: 2 }));

/** Defines a suite over a workspace that is read in one call, and again over one that is read by lists. */
export function describeReadings(
  name: string,
  define: (workspace: Workspace, reading: Reading) => void,
  readings: readonly Reading[] = quickReadings,
): void {
  for (const reading of readings) {
    describe(`${name}, read ${reading}`, () => {
      define(useWorkspace(reading), reading);
    });
  }
}

/** A real service on a store of its own for each test of a file, and the engine over it. */
export function useWorkspace(reading: Reading = 'by lists'): Workspace {
  const isWhole = reading === 'in one call';
  let opened: Opened | undefined;
  const folders: string[] = [];
  let calls: string[] = [];

  beforeEach(async () => {
    await opened?.close();
    const dataDir = mkdtempSync(join(tmpdir(), 'rolecall-reconcile-'));
    folders.push(dataDir);
    opened = await open(dataDir, (operation) => calls.push(operation));
    calls = [];
  });
  after(async () => {
    await opened?.close();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  const client = (): Client => {
    if (opened === undefined) throw new Error('the workspace is there only inside a test');
    return opened.client;
  };
  const plan = async (objects: readonly DesiredObject[], more: More = {}) => {
    const view = createView(client(), { isWhole });
    // One time for both: a permission without a start begins at the second of its plan.
    const options = { ...optionsOf(more), ...managerFor(more, client()) };
    const made = await makePlan(stateOf(objects, more), view, options);
    // What was read already is compared at a look; that must find the same.
    assert.deepEqual((await makePlan(stateOf(objects, more), view, options)).steps, made.steps);
    assertPlanSchema(made);
    return made;
  };
  return {
    get client() {
      return client();
    },
    as: (manager) => {
      if (opened === undefined) throw new Error('the workspace is there only inside a test');
      return opened.as(manager);
    },
    takeCalls: () => calls.splice(0),
    createView: () => createView(client(), { isWhole }),
    plan,
    async planWithout(deleted, objects, more = {}) {
      const { now } = optionsOf(more);
      const absent = await findAbsent(deleted, objects, createView(client(), { isWhole }), now);
      return plan(objects, { ...more, now, absent: [...absent.values()] });
    },
    async apply(objects, more = {}) {
      const made = await plan(objects, more);
      const writer = more.set === undefined || opened === undefined ? client() : opened.as(`rolecall/${more.set}`);
      if (made.declarations !== undefined) await recordDeclarations(made.declarations, writer);
      return { plan: made, result: await converge(made, writer, optionsOf(more)) };
    },
  };
}

interface Opened {
  client: Client;
  as: (manager: string) => Client;
  close(): Promise<void>;
}

async function open(dataDir: string, onOperation: (operation: string) => void): Promise<Opened> {
  const { admin: key } = await fillDataDir(dataDir, ['admin']);
  const service = await startService({ dataDir, environment: {}, checkAnswers: true, ...onThisMachine });
  const openAs = (manager?: string): Client =>
    createClient({
      url: service.url,
      keyId: key.id,
      keySecret: key.secret,
      manager,
      onCall: ({ operationId }) => {
        onOperation(operationId);
      },
    });
  const client = openAs();
  const named = new Map<string, Client>();
  return {
    client,
    as: (manager) => {
      const known = named.get(manager) ?? openAs(manager);
      named.set(manager, known);
      return known;
    },
    close: async () => {
      await Promise.all([client, ...named.values()].map((one) => one.close()));
      await service.close();
    },
  };
}

/** Leaves out the overrides that nothing asks for: a plan refuses those. */
export async function withNeededOverrides(
  objects: readonly DesiredObject[],
  more: More,
  client: Client,
): Promise<More> {
  const { overrides = [] } = more;
  if (overrides.length === 0) return more;
  const without = { ...more, overrides: [] };
  const { refusals } = await makePlan(stateOf(objects, without), createView(client), optionsOf(without));
  const asked = new Set(refusals.map(({ override }) => override));
  return { ...more, overrides: overrides.filter((token) => asked.has(token)) };
}

export function managerFor({ set, fit = { is: 'whole' } }: More, client: Client): Pick<PlanOptions, 'manager'> {
  if (set === undefined) return {};
  return { manager: { ...managerOf(`rolecall/${set}`, client), set: { fit: () => fit, isPreview: false } } };
}

export function stateOf(
  objects: readonly DesiredObject[],
  { exact = [], rails = defaultRails, absent = [] }: More,
): DesiredState {
  return { objects, exact, rails, absent };
}

export function optionsOf({ now = new Date(), overrides = [], isOneByOne = false, secrets = {} }: More): PlanOptions {
  return {
    now,
    isOneByOne,
    overrides,
    salt: 'salt of the tests',
    workspace: { url: 'http://workspace.test' },
    resolveSecret: (source) => {
      const secret = 'env' in source ? secrets[source.env] : undefined;
      return secret === undefined ? Promise.reject(new Error('no such secret')) : Promise.resolve(secret);
    },
  };
}

const base = { observeOnly: false, paused: false, protected: false };

type Rest<K extends KindName> = Partial<DesiredOf<K>>;

export function person(username: string, rest: Rest<'Person'> = {}): DesiredOf<'Person'> {
  return {
    ...base,
    kind: 'Person',
    name: username.toLowerCase(),
    username,
    fullName: `${username} Example`,
    email: `${username}@example.com`,
    locked: false,
    ...rest,
  };
}

export function role(name: string, rest: Rest<'Role'> = {}): DesiredOf<'Role'> {
  return { ...base, kind: 'Role', name, role: name, ...rest };
}

export function dataSource(alias: string, rest: Rest<'DataSource'> = {}): DesiredOf<'DataSource'> {
  const uri = `postgresql://reader@${alias}.internal:5432/${alias}`;
  return { ...base, kind: 'DataSource', name: alias, alias, displayName: alias, uri, ...rest };
}

export function membership(
  roleName: string,
  username: string,
  rest: Rest<'RoleMembership'> = {},
): DesiredOf<'RoleMembership'> {
  const member = { kind: 'Person', username } as const;
  return { ...base, kind: 'RoleMembership', name: `${username}-${roleName}`, role: roleName, member, ...rest };
}

export function permission(username: string, alias: string, rest: Rest<'Permission'> = {}): DesiredOf<'Permission'> {
  return {
    ...base,
    kind: 'Permission',
    name: `${username}-${alias}`,
    person: username,
    dataSource: alias,
    startsAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2096-01-01T00:00:00.000Z',
    ended: false,
    ...rest,
  };
}

export function snippet(name: string, rest: Rest<'Snippet'> = {}): DesiredOf<'Snippet'> {
  return {
    ...base,
    kind: 'Snippet',
    name: name.toLowerCase().replaceAll(' ', '-'),
    snippet: name,
    description: '',
    text: 'select 1',
    publicAccessLevel: 'none',
    locked: false,
    ...rest,
  };
}
