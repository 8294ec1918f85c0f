import type { DataSource } from '@rolecall/api';
import type { DesiredDataSource } from '../model/desired.ts';
import { dataSourceKey } from '../model/keys.ts';
import { stepId } from '../model/step.ts';
import type { Collection } from '../view/view.ts';
import type { Scope } from './scope.ts';

/** When a data source may take its new alias. The service has each alias once. */
export interface AliasTurn {
  /** The steps that free the alias; none where no data source gives it up. */
  readonly after: readonly string[];
  /** Whether it gives up its own alias before it takes the new one. One of those that exchange theirs in a circle does. */
  readonly isFreeBetween: boolean;
}

/** At any time: no data source gives the alias up. */
export const anyTurn: AliasTurn = { after: [], isFreeBetween: false };

/** The id of the step that gives a data source what is declared. */
export const updateId = (desired: DesiredDataSource): string =>
  stepId('updateDataSource', dataSourceKey(desired.alias));

/** The id of the step that leaves it without an alias for a moment. */
export const freeingId = (desired: DesiredDataSource): string =>
  stepId('updateDataSource', dataSourceKey(desired.alias), 'no alias');

/** Finds when a data source may take the alias that another one has now and gives up. */
export function findAliasTurn(
  desired: DesiredDataSource,
  { rememberedBy }: Pick<Scope, 'rememberedBy'>,
  { byKey }: Pick<Collection<Pick<DataSource, 'id'>>, 'byKey'>,
): AliasTurn {
  const giverOf = ({ alias }: DesiredDataSource): DesiredDataSource | undefined => {
    const [holder] = byKey.get(dataSourceKey(alias)) ?? [];
    const owner = holder && rememberedBy('DataSource', holder.id);
    if (owner?.kind !== 'DataSource' || owner.paused || owner.observeOnly) return undefined;
    return dataSourceKey(owner.alias) === dataSourceKey(alias) ? undefined : owner;
  };
  const giver = giverOf(desired);
  if (giver === undefined) return anyTurn;
  let [first, one]: [DesiredDataSource, DesiredDataSource | undefined] = [desired, giver];
  // Two that declare one alias, which is refused later, may lead into a circle that neither is in.
  for (const seen = new Set<DesiredDataSource>(); one !== undefined && !seen.has(one); one = giverOf(one)) {
    seen.add(one);
    if (one === desired) break;
    if (one.alias < first.alias) first = one;
  }
  const isCircle = one === desired;
  return {
    after: [isCircle && giver === first ? freeingId(giver) : updateId(giver)],
    isFreeBetween: isCircle && desired === first,
  };
}
