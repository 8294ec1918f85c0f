/**
 * Makes the plan of one transition of a large workspace in memory, each person in four roles. The time is that of the engine: no file
 * is parsed, and nothing is called.
 */
import type { Snapshot } from '@rolecall/api';
import { type Caller, createView, type DesiredObject, type DesiredState, makePlan } from '@rolecall/reconcile';

const [transition = '', count = ''] = process.argv.slice(2);
const people = Number(count);
const each = 4;
const sizes = { roles: Math.ceil(people / 100), dataSources: 200, sourcesOfRole: 5 };
const at = '2026-01-01T00:00:00.000Z';
const times = { createdAt: at, updatedAt: at };
const base = { observeOnly: false, paused: false, protected: false };
const ids = (prefix: string, length: number) => Array.from({ length }, (_, index) => `${prefix}-${index}`);
const [usernames, roles, aliases] = [ids('p', people), ids('r', sizes.roles), ids('d', sizes.dataSources)];
const uriOf = (alias: string) => `postgresql://reader@${alias}.internal:5432/${alias}`;

/** The roles of a person, and the data sources of a role, by their numbers; `shift` moves them to the next ones. */
const rolesOf = (person: number, shift = 0) => ids('', each).map((_, index) => (person + index + shift) % sizes.roles);
const sourcesOf = (role: number, shift = 0) =>
  ids('', sizes.sourcesOfRole).map((_, index) => (role * each + index + shift) % sizes.dataSources);

const snapshot: Snapshot = {
  people: usernames.map((username) => ({
    ...{ id: username, username, name: username, email: `${username}@example.com` },
    ...{ isLocked: false, usesTwoFactor: false, ...times },
  })),
  roles: roles.map((name) => ({ id: name, name, ...times })),
  dataSources: aliases.map((alias) => ({
    ...{ id: alias, alias, name: alias, type: 'postgresql' as const, configUri: uriOf(alias), uri: uriOf(alias) },
    ...{ passwordFingerprint: null, ...times },
  })),
  rolePeople: usernames.flatMap((personId, person) =>
    rolesOf(person).map((role) => ({ roleId: roles[role] ?? '', personId, assignedAt: at })),
  ),
  roleDataSources: roles.flatMap((roleId, role) =>
    sourcesOf(role).map((source) => ({ roleId, dataSourceId: aliases[source] ?? '', assignedAt: at })),
  ),
  permissions: [],
  snippets: [],
};

/** What is declared, as the workspace is or one step further. */
function declare({ toNextRole = 0, toNextSource = 0, isLocked = false, isNamed = false }): DesiredObject[] {
  const members = roles.map((): string[] => []);
  for (const [person, username] of usernames.entries())
    for (const role of rolesOf(person, toNextRole)) members[role]?.push(username);
  return [
    ...usernames.map((username) => ({
      ...{ ...base, kind: 'Person' as const, name: username, username, email: `${username}@example.com` },
      ...{ fullName: isNamed ? `${username} Lovelace` : username, locked: isLocked },
    })),
    ...aliases.map((alias) => ({
      ...{ ...base, kind: 'DataSource' as const, name: alias, alias, displayName: alias, uri: uriOf(alias) },
    })),
    ...roles.map((name, role) => ({
      ...{ ...base, kind: 'Role' as const, name, role: name, people: members[role] ?? [] },
      dataSources: sourcesOf(role, toNextSource).map((source) => aliases[source] ?? ''),
    })),
  ];
}

const transitions: Readonly<Record<string, () => DesiredObject[]>> = {
  nothing: () => declare({}),
  'next role': () => declare({ toNextRole: 1 }),
  'next data source': () => declare({ toNextSource: 1 }),
  'both at once': () => declare({ toNextRole: 1, toNextSource: 1 }),
  'all locked': () => declare({ isLocked: true }),
  'all renamed': () => declare({ isNamed: true }),
};

const client = {
  call: (operation: string) =>
    operation.endsWith('Snapshot') ? Promise.resolve(snapshot) : Promise.reject(new Error(`${operation} is called`)),
  store: () => 'a store that edits',
} as unknown as Caller;

const state: DesiredState = {
  objects: transitions[transition]?.() ?? [],
  exact: [],
  rails: { maxRemovalPercent: 100, minimumRemoval: 1 },
};
const plan = await makePlan(state, createView(client, { isWhole: true }), {
  now: new Date('2026-06-01T00:00:00.000Z'),
  overrides: [],
  salt: 'salt of the benchmark',
  workspace: { url: 'http://workspace.example' },
  resolveSecret: () => Promise.reject(new Error('there are no secrets')),
});
process.stdout.write(`${plan.steps.length} steps, ${plan.refusals.length} refusals\n`);
