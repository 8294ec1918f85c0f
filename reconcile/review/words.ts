import type { AccessChange, AccessWay } from '../model/plan.ts';
import { shortTime } from '../model/window.ts';

/** People who gain, lose or change the same things in the same way. */
interface Group extends Pick<AccessChange, 'effect' | 'before' | 'after'> {
  people: string[];
  dataSources: string[];
}

/** The most people that one line names; a role of hundreds takes several lines. */
const mostPeople = 50;

/**
 * Access changes in plain words, one line for all people with the same change: `ada gains billing through analysts`.
 *
 * @param write how a name is written, so that nothing in it can act
 * @param at the time of the plan: a window that is open by then is told by its end
 */
export function accessWords(changes: readonly AccessChange[], write: (name: string) => string, at: string): string[] {
  return groupChanges(changes).map((group) => sentence(group, write, at));
}

function groupChanges(changes: readonly AccessChange[]): Group[] {
  const waysOf = ({ effect, before, after }: AccessChange): string => JSON.stringify([effect, before, after]);
  // First the data sources that one person gets in one way, then all people who get the same ones.
  const byPerson = Map.groupBy(changes, (change) => JSON.stringify([waysOf(change), change.person]));
  const ofOne = [...byPerson.values()].flatMap((personChanges): Group[] => {
    const [first] = personChanges;
    if (first === undefined) return [];
    const { effect, before, after, person } = first;
    return [
      { effect, before, after, people: [person], dataSources: personChanges.map(({ dataSource }) => dataSource) },
    ];
  });
  const alike = Map.groupBy(ofOne, ({ effect, before, after, dataSources }) =>
    JSON.stringify([effect, before, after, dataSources]),
  );
  return [...alike.values()].flatMap((groups) => {
    const people = groups.flatMap((group) => group.people);
    return chunks(people, mostPeople).flatMap((some) =>
      groups[0] === undefined ? [] : [{ ...groups[0], people: some }],
    );
  });
}

function chunks<T>(values: readonly T[], size: number): T[][] {
  const result: T[][] = [];
  for (let start = 0; start < values.length; start += size) result.push(values.slice(start, start + size));
  return result;
}

function sentence(group: Group, write: (name: string) => string, at: string): string {
  const { people, dataSources, effect, before, after } = group;
  const who = people.map(write).join(', ');
  const what = dataSources.map(write).join(', ');
  const it = dataSources.length === 1 ? 'it' : 'them';
  const verbs = people.length === 1 ? singular : plural;
  const say = (ways: readonly AccessWay[]): string => waysWords(ways, write, at);
  if (effect === 'gains') return `${who} ${verbs.gain} ${what} ${say(after)}`;
  // "Loses it until Friday" would say that it comes back on Friday.
  const lose = (ways: readonly AccessWay[]): string =>
    `${who} ${verbs.lose} ${what} (${waysWords(ways, write, at, 'granted ')})`;
  if (effect === 'loses') return lose(before);
  const lost = without(before, after);
  const gained = without(after, before);
  if (gained.length === 0) return `${lose(lost)}, still ${verbs.reach} ${it} ${say(after)}`;
  if (lost.length === 0)
    return `${who} ${verbs.gain} ${what} ${say(gained)} too, ${verbs.reach} ${it} ${say(before)} already`;
  return `${who} ${verbs.reach} ${what} ${say(after)} instead of ${say(before)}`;
}

const singular = { gain: 'gains', lose: 'loses', reach: 'reaches' };
const plural = { gain: 'gain', lose: 'lose', reach: 'reach' };

function without(ways: readonly AccessWay[], others: readonly AccessWay[]): AccessWay[] {
  const otherTexts = new Set(others.map((way) => JSON.stringify(way)));
  return ways.filter((way) => !otherTexts.has(JSON.stringify(way)));
}

/** @param granted a word before the window of a permission */
function waysWords(ways: readonly AccessWay[], write: (name: string) => string, at: string, granted = ''): string {
  const roles = ways.flatMap((way) => ('role' in way ? [roleWords(way, write)] : []));
  const windows = ways.flatMap((way) => ('role' in way ? [] : [granted + windowWords(way, at)]));
  return [...(roles.length === 0 ? [] : [`through ${roles.join(' and ')}`]), ...windows].join(' and ');
}

function roleWords(
  { role, from, until }: Extract<AccessWay, { role: string }>,
  write: (name: string) => string,
): string {
  return [write(role), from && `from ${shortTime(from)}`, until && `until ${shortTime(until)}`]
    .filter(Boolean)
    .join(' ');
}

function windowWords({ from, until }: Extract<AccessWay, { from: string }>, at: string): string {
  const end = `until ${shortTime(until)}`;
  return Date.parse(from) <= Date.parse(at) ? end : `from ${shortTime(from)} ${end}`;
}
