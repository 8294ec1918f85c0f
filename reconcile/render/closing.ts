import { listUpTo } from '../list-up-to.ts';
import { countEffects, isEmpty, isRefused, type Plan } from '../plan.ts';
import { effects } from '../step.ts';

/** The line that sums a plan up. */
export function closingLine(plan: Plan): string {
  if (isRefused(plan)) return refusedLine(plan);
  return isEmpty(plan) ? unchangedLine(plan) : countsLine(plan);
}

/** `3 to create, 1 to change, 4 to grant, 1 to revoke, 0 to replace, 0 to remove (9 calls)`. */
function countsLine({ steps }: Plan): string {
  const counts = countEffects(steps);
  const parts = effects.map((effect) => `${counts[effect]} to ${effect}`).join(', ');
  return `Plan: ${parts} (${count(steps.length, 'call')}).`;
}

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
