import { collectionWords, exactCollections } from '@rolecall/crds';
import { countEffects, isEmpty, isRefused, type Plan } from '../model/plan.ts';
import { listUpTo } from '../model/step.ts';
import { countRemovals } from '../plan/count-removals.ts';

/** The line that sums a plan up. */
export function closingLine(plan: Plan): string {
  if (!isRefused(plan)) return isEmpty(plan) ? unchangedLine(plan) : countsLine(plan);
  return isEmpty(plan) ? refusedLine(plan) : `${countsLine(plan)} ${heldLine(plan)}`;
}

/** `3 to create, 1 to change, 4 to grant, 0 to replace, 1 to revoke or remove (9 calls). It ends 1 permission.` */
function countsLine(plan: Plan): string {
  const { revoke, remove, ...counts } = countEffects(plan.steps);
  const parts = Object.entries(counts).map(([effect, number]) => `${number} to ${effect}`);
  parts.push(`${revoke + remove} to revoke or remove`);
  const line = `Plan: ${parts.join(', ')} (${count(plan.steps.length, 'call')}).`;
  const removals = removalWords(plan);
  return removals === '' ? line : `${line} It ${removals}.`;
}

/** Says in words what a plan takes away: `ends 5 permissions and locks 1 person`. Empty if it takes nothing away. */
export function removalWords({ removals, steps }: Pick<Plan, 'removals' | 'steps'>): string {
  const {
    permissions = 0,
    members = 0,
    locks = 0,
    people = 0,
    roles = 0,
    dataSources = 0,
    snippets = 0,
  } = removals ?? countRemovals(steps);
  return [
    permissions > 0 && `ends ${count(permissions, 'permission')}`,
    members > 0 && `takes ${count(members, 'member')} out of roles`,
    locks > 0 && `locks ${peopleWords(locks)}`,
    people > 0 && `deletes ${peopleWords(people)}`,
    roles > 0 && `deletes ${count(roles, 'role')}`,
    dataSources > 0 && `deletes ${count(dataSources, 'data source')}`,
    snippets > 0 && `deletes ${count(snippets, 'snippet')}`,
  ]
    .filter((words) => words !== false)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' and ');
}

const peopleWords = (number: number): string => (number === 1 ? '1 person' : `${number} people`);

function unchangedLine({ compared, observed }: Plan): string {
  const total = Object.values(compared).reduce((sum, number) => sum + number, 0);
  if (observed.length > 0) return 'No changes. What differs is only observed.';
  if (total === 1) return 'No changes. The workspace matches the 1 definition compared.';
  return `No changes. The workspace matches the ${total} definitions compared.`;
}

function refusedLine({ refusals }: Plan): string {
  return `The plan is refused for ${count(refusals.length, 'reason')}: nothing of it can run.`;
}

const heldLine = ({ refusals, held }: Plan): string =>
  `Refused for ${count(refusals.length, 'reason')}, and held up: ${count(held.length, 'call')}.`;

/**
 * Counts in one line the objects of the workspace that are not declared: `Not declared, and left alone: 2 people, 1 snippet.`
 *
 * @returns empty where there is nothing to say
 */
export function undeclaredLine({ undeclared }: Plan): string {
  if (undeclared === undefined) return '';
  const counts = exactCollections.flatMap((collection) => {
    const number = undeclared[collection]?.count ?? 0;
    const words = collectionWords[collection];
    return number === 0 ? [] : [`${number} ${number === 1 ? singular[collection] : words}`];
  });
  const uncounted = exactCollections.filter((collection) => undeclared[collection] === undefined);
  const isListed = Object.values(undeclared).some(({ names }) => names !== undefined);
  const ask = `Not counted: undeclared ${uncounted.map((collection) => collectionWords[collection]).join(', ')}; plan --undeclared lists them.`;
  return [
    counts.length > 0 ? `Not declared, and left alone: ${counts.join(', ')}.` : '',
    uncounted.length > 0 ? ask : '',
    isListed && counts.length === 0 ? 'Nothing is in the workspace that is not declared.' : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

const singular = {
  people: 'person',
  roles: 'role',
  memberships: 'membership',
  dataSources: 'data source',
  permissions: 'permission',
  snippets: 'snippet',
} as const;

/** Everything that is listed as not declared, by what people call the collection. */
export function undeclaredNames({ undeclared = {} }: Plan): { what: string; name: string }[] {
  return exactCollections.flatMap((collection) =>
    (undeclared[collection]?.names ?? []).map((name) => ({ what: singular[collection], name })),
  );
}

/** Names in one line the places where objects are declared. */
export function placesWords(places: readonly string[]): string {
  return listUpTo(mostPlaces, places);
}

const mostPlaces = 5;

export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
