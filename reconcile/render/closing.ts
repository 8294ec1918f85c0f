import { listUpTo } from '../list-up-to.ts';
import { countEffects, countRemovals, isEmpty, isRefused, type Plan } from '../plan.ts';

/** The line that sums a plan up. */
export function closingLine(plan: Plan): string {
  if (isRefused(plan)) return refusedLine(plan);
  return isEmpty(plan) ? unchangedLine(plan) : countsLine(plan);
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

/** What a plan takes away: `ends 5 permissions, locks 1 person`. Empty where it takes nothing away. */
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
    .join(', ');
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

/** Where objects are declared, in one line. */
export function placesWords(places: readonly string[]): string {
  return listUpTo(mostPlaces, places);
}

const mostPlaces = 5;

export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
