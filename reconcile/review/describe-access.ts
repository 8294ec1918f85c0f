import type { AccessChange, AccessWay, Plan } from '../model/plan.ts';
import { touchesAccess } from '../operations/table.ts';
import { type AccessFacts, grantState, listGrants } from '../view/access.ts';
import { readFactsAround } from '../view/facts-around.ts';
import { afterSteps } from '../view/outcome.ts';
import type { View } from '../view/view.ts';

/**
 * Adds to a plan what it does to access: who gains, loses or changes what, through which role or for which time. Reads
 * what is needed for that and was not read yet; a plan that cannot change access reads nothing.
 *
 * @param view through which the plan was made
 * @throws the client's errors
 */
export async function describeAccess(plan: Plan, view: View, now: Date): Promise<Plan> {
  if (!plan.steps.some(touchesAccess)) return { ...plan, access: [] };
  const factsBefore = await readFactsAround(plan.steps, view);
  return { ...plan, access: compareAccess(factsBefore, afterSteps(factsBefore, plan.steps), now) };
}

/** @returns the people in the order of their usernames */
function compareAccess(before: AccessFacts, after: AccessFacts, now: Date): AccessChange[] {
  // A role that is renamed stays the same way to a data source.
  const roles = new Map([...before.roles, ...after.roles].map(({ key, name }) => [key, name]));
  const [had, have] = [waysIn(before, roles, now), waysIn(after, roles, now)];
  const pairs = new Map([...had, ...have]);
  return [...pairs.keys()]
    .flatMap((key) => changeOf(had.get(key), have.get(key)))
    .toSorted((a, b) => compareText(a.person, b.person) || compareText(a.dataSource, b.dataSource));
}

interface Reached {
  person: string;
  dataSource: string;
  ways: AccessWay[];
}

function changeOf(had: Reached | undefined, have: Reached | undefined): AccessChange[] {
  const named = have ?? had;
  if (named === undefined) return [];
  const [before, after] = [had?.ways ?? [], have?.ways ?? []];
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const effect = before.length === 0 ? 'gains' : after.length === 0 ? 'loses' : 'changes';
  return [{ person: named.person, dataSource: named.dataSource, effect, before, after }];
}

/**
 * Everything that opens a data source to a person now or later, by both.
 *
 * @param roles their names, by key
 */
function waysIn(facts: AccessFacts, roles: ReadonlyMap<string, string>, now: Date): Map<string, Reached> {
  const people = new Map(facts.people.map((person) => [person.key, person]));
  const dataSources = new Map(facts.dataSources.map((dataSource) => [dataSource.key, dataSource]));
  const reached = new Map<string, Reached>();
  for (const grant of listGrants(facts)) {
    const person = people.get(grant.person);
    const dataSource = dataSources.get(grant.dataSource);
    if (person === undefined || dataSource === undefined || person.isLocked) continue;
    const state = grantState(grant, now);
    if (state === 'past') continue;
    const key = JSON.stringify([person.key, dataSource.key]);
    const entry = reached.get(key) ?? {
      person: person.username,
      dataSource: dataSource.alias ?? dataSource.name,
      ways: [],
    };
    reached.set(key, entry);
    entry.ways.push(
      grant.way.kind === 'role'
        ? {
            role: roles.get(grant.way.role) ?? grant.way.role,
            // Since when both are in the role is in the past, whatever the clock of this machine says.
            ...(state === 'future' && grant.opensAt !== undefined ? { from: grant.opensAt } : {}),
            ...(grant.expiresAt === undefined ? {} : { until: grant.expiresAt }),
          }
        : { from: grant.startsAt ?? '', until: grant.expiresAt ?? '' },
    );
  }
  for (const entry of reached.values()) entry.ways = distinct(entry.ways);
  return reached;
}

/** In one order, and each once: several permissions may have the same window. */
function distinct(ways: readonly AccessWay[]): AccessWay[] {
  const byText = new Map(ways.map((way) => [JSON.stringify(way), way]));
  return [...byText].toSorted(([a], [b]) => compareText(b, a)).map(([, way]) => way);
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
