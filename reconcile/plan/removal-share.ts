import type { Rails } from '@rolecall/crds';
import { listUpTo, type Refusal } from '../model/step.ts';
import type { Loss } from './access-loss.ts';

/** True if a share of a loss is refused, by the bounds of a workspace. */
export function exceeds(loss: Pick<Loss, 'before' | 'lost' | 'gained'>, bounds: Rails): boolean {
  const weight = weigh(loss);
  return weight >= bounds.minimumRemoval && weight * 100 > loss.before * bounds.maxRemovalPercent;
}

/** A team that rotates takes little away: who comes in the same run makes up for half of one who goes. */
const weigh = ({ lost, gained }: Pick<Loss, 'lost' | 'gained'>): number => lost - Math.min(lost, gained) / 2;

/** The refusal of a share. @param token the part of the override's token that says of what */
export function tooMuch(token: string, what: string, loss: Loss, { maxRemovalPercent }: Rails): Refusal {
  const { before, lost, gained, names } = loss;
  const percent = Math.round((lost / before) * 100);
  const others = gained === 0 ? '' : `, and add ${gained} others`;
  return {
    rail: 'removal-share',
    objects: [],
    message: `this would take away ${lost} of the ${before} ${what} (${percent} %, allowed are ${maxRemovalPercent} %)${others}: ${someOf(lost, names)}`,
    remedy: `check that all definitions were given; if the removal is meant, let it through once by spec.overrides of the Workspace: "removal-share:${token} until YYYY-MM-DD because …"`,
    override: `removal-share:${token}`,
  };
}

/** Lists the names of the first that are lost, and how many more there are. */
export const someOf = (count: number, names: readonly string[]): string =>
  count > names.length ? `${names.join(', ')} and ${count - names.length} more` : listUpTo(10, names);
