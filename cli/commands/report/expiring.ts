import { type AccessFacts, type Grant, grantState, listGrants } from '@rolecall/reconcile';

/** Access of one person to one data source that comes to an end. */
export interface Ending {
  person: { username: string; name: string };
  dataSource: { alias: string | null; name: string };
  /** ISO 8601: since when the permission that ends last holds. */
  startsAt: string;
  /** ISO 8601: from then on nothing is left. */
  expiresAt: string;
}

/**
 * Finds the access that ends within a window: permissions whose end no role and no other permission outlasts. Locked
 * people have nothing to lose.
 *
 * @param from the beginning of the window, which does not belong to it
 * @param to its end, which does
 */
export function findEndings(facts: AccessFacts, from: Date, to: Date): Ending[] {
  const unlocked = new Map(facts.people.filter(({ isLocked }) => !isLocked).map((person) => [person.key, person]));
  const dataSources = new Map(facts.dataSources.map((dataSource) => [dataSource.key, dataSource]));
  const endings: Ending[] = [];
  for (const grants of Map.groupBy(listGrants(facts), pairOf).values()) {
    const [first] = grants;
    const person = unlocked.get(first?.person ?? '');
    const dataSource = dataSources.get(first?.dataSource ?? '');
    if (person === undefined || dataSource === undefined) continue;
    for (const { startsAt, expiresAt } of lastOf(grants, from, to)) {
      endings.push({
        person: { username: person.username, name: person.name },
        dataSource: { alias: dataSource.alias, name: dataSource.name },
        startsAt,
        expiresAt,
      });
    }
  }
  return endings.sort((a, b) => compare(a.expiresAt, b.expiresAt) || compare(a.person.username, b.person.username));
}

/** The grants of one pair at whose end, within the window, no other one holds; one for each such moment. */
function lastOf(grants: readonly Grant[], from: Date, to: Date): { startsAt: string; expiresAt: string }[] {
  const ends = new Map<string, string>();
  for (const { startsAt, expiresAt } of grants) {
    if (expiresAt === undefined || startsAt === undefined) continue;
    const end = new Date(expiresAt);
    if (end <= from || end > to || grants.some((other) => grantState(other, end) === 'active')) continue;
    const earlier = ends.get(expiresAt);
    ends.set(expiresAt, earlier !== undefined && earlier < startsAt ? earlier : startsAt);
  }
  return [...ends].map(([expiresAt, startsAt]) => ({ startsAt, expiresAt }));
}

const pairOf = ({ person, dataSource }: Grant): string => `${person}\0${dataSource}`;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
