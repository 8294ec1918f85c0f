import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Client } from '@rolecall/api';
import { exactCollections } from '@rolecall/crds';
import { converge, type DesiredObject, findUndeclared, makePlan, makePlanWithClaims } from '@rolecall/reconcile';
import fc from 'fast-check';
import { propertyRuns } from '../support/property-runs.ts';
import {
  bothReadings,
  dataSource,
  describeReadings,
  membership,
  optionsOf,
  permission,
  person,
  role,
  snippet,
  stateOf,
  type Workspace,
} from './support.ts';

const usernames = ['ada', 'grace', 'linus', 'barbara'];
const aliases = ['billing', 'stock'];
const roleNames = ['analysts', 'admins', 'support'];
const windows = [
  { startsAt: '2026-01-01T00:00:00.000Z', expiresAt: '2090-01-01T00:00:00.000Z' },
  { startsAt: '2026-01-01T00:00:00.000Z', expiresAt: '2091-01-01T00:00:00.000Z' },
];

const some = <T>(all: readonly T[]) => fc.subarray([...all]);

const permissions = (people: readonly string[], sources: readonly string[]) =>
  some(
    people.flatMap((name) =>
      sources.flatMap((alias) =>
        windows.map((window, index) => permission(name, alias, { ...window, name: `${name}-${alias}-${index}` })),
      ),
    ),
  );

const roles = (names: readonly string[], people: readonly string[], sources: readonly string[]) =>
  fc
    .tuple(
      ...names.map((name) =>
        fc
          .record({
            people: fc.option(some(people), { nil: undefined }),
            dataSources: fc.option(some(sources), { nil: undefined }),
            added: some(people),
            reached: some(sources),
          })
          .map(({ people, dataSources, added, reached }): DesiredObject[] => [
            role(name, { ...(people && { people }), ...(dataSources && { dataSources }) }),
            ...added.map((username) => membership(name, username)),
            ...reached.map((alias) =>
              membership(name, alias, { member: { kind: 'DataSource', alias }, name: `${alias}-in-${name}` }),
            ),
          ]),
      ),
    )
    .map((sets) => sets.flat());

const snippets = (owners: readonly string[]) =>
  fc.tuple(
    ...owners.map((name) =>
      fc
        .constantFrom('select 1', 'select 2')
        .map((text) => snippet('Top', { name: `top-${name}`, text, owner: { kind: 'Role', role: name } })),
    ),
  );

/** Definitions of every kind in which every reference is declared, over few names, so that two sets overlap a lot. */
const anything: fc.Arbitrary<DesiredObject[]> = fc
  .record({ people: some(usernames), sources: some(aliases), names: some(roleNames) })
  .chain(({ people, sources, names }) =>
    fc.tuple(
      fc.tuple(...people.map((name) => fc.boolean().map((locked) => person(name, { locked })))),
      fc.constant(sources.map((alias) => dataSource(alias))),
      roles(names, people, sources),
      permissions(people, sources),
      some(names).chain(snippets),
    ),
  )
  .map((sets) => sets.flat());

/** The same people and data sources always, so that two sets differ only in who reaches what, and by which way. */
const grantsOnly: fc.Arbitrary<DesiredObject[]> = some(roleNames)
  .chain((names) =>
    fc.tuple(roles(names, usernames, aliases), fc.oneof(fc.constant([]), permissions(usernames, aliases))),
  )
  .map((sets) => [
    ...usernames.map((name) => person(name)),
    ...aliases.map((alias) => dataSource(alias)),
    ...sets.flat(),
  ]);

/** Who reaches what right now, as the service itself says. */
async function access(client: Client): Promise<Set<string>> {
  const pairs = new Set<string>();
  for (const { id, username, isLocked } of await client.call('listPeople', {})) {
    if (isLocked) continue;
    for (const { alias } of await client.call('listPersonDataSources', { params: { person: id } }))
      pairs.add(`${username} ${alias ?? ''}`);
  }
  return pairs;
}

describeReadings('convergence of generated definitions', convergence, bothReadings);

function convergence(workspace: Workspace): void {
  const exact = exactCollections;

  it('reaches any state from any other, and needs nothing afterwards', () => converges(anything));

  it('never interrupts access that both states give', () => converges(grantsOnly));

  async function converges(definitions: fc.Arbitrary<DesiredObject[]>): Promise<void> {
    const rails = { maxRemovalPercent: 100, minimumRemoval: 1 };
    await fc.assert(
      fc.asyncProperty(definitions, definitions, async (first, second) => {
        await workspace.apply(first, { exact, rails });
        const before = await access(workspace.client);
        const plan = await workspace.plan(second, { exact, rails });
        assert.deepEqual(plan.refusals, []);
        const missed = await runStepwise(plan.steps, before);
        const view = workspace.createView();
        const options = optionsOf({});
        const { plan: again, claimed } = await makePlanWithClaims(stateOf(second, { exact, rails }), view, options);
        assert.deepEqual(again.steps, []);
        const left = await findUndeclared({ objects: second, claimed, steps: [] }, view, options.now, true);
        assert.deepEqual(
          Object.values(left).flatMap(({ names = [] }) => names),
          [],
        );
        const after = await access(workspace.client);
        assert.deepEqual(
          missed.filter((pair) => after.has(pair)),
          [],
        );
      }),
      { numRuns: propertyRuns({ quick: 25, all: 25 }) },
    );
  }

  /** Applies steps one at a time, and gives the access of before that was missing at some moment. */
  async function runStepwise(steps: Awaited<ReturnType<typeof workspace.plan>>['steps'], before: ReadonlySet<string>) {
    const missed = new Set<string>();
    const empty = await makePlan(stateOf([], {}), workspace.createView(), optionsOf({}));
    const watching = {
      call: (async (...call: Parameters<Client['call']>) => {
        const answer = await workspace.client.call(...call);
        const now = await access(workspace.client);
        for (const pair of before) if (!now.has(pair)) missed.add(pair);
        return answer;
      }) as Client['call'],
    };
    const result = await converge({ ...empty, steps }, watching, { ...optionsOf({}), concurrency: 1 });
    assert.deepEqual(result.failed, []);
    return [...missed];
  }
}
