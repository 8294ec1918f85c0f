import type { DataSource } from '@rolecall/api';
import type { DesiredDataSource } from '../model/desired.ts';
import { dataSourceKey } from '../model/keys.ts';
import { stepId } from '../model/step.ts';
import type { Collection } from '../view/view.ts';
import type { Scope } from './scope.ts';

/** When a data source may take its new alias. The service has each alias once. */
export interface AliasTurn {
  /** The steps that free the alias; none where no data source has it. */
  readonly after: readonly string[];
  /** Whether it gives up its own alias before it takes the new one. One of those that exchange theirs in a circle does. */
  readonly isFreeBetween: boolean;
  /** Another data source that has the alias and keeps it: the turn never comes. */
  readonly keeper?: Pick<DataSource, 'id' | 'name'>;
}

/** At any time: no other data source has the alias. */
export const anyTurn: AliasTurn = { after: [], isFreeBetween: false };

/** The id of the step that gives a data source what is declared. */
export const updateId = (desired: DesiredDataSource): string =>
  stepId('updateDataSource', dataSourceKey(desired.alias));

/** The id of the step that leaves it without an alias for a moment. */
export const freeingId = (desired: DesiredDataSource): string =>
  stepId('updateDataSource', dataSourceKey(desired.alias), 'no alias');

/** Finds when a data source may take an alias that it does not have and another one may. */
export function findAliasTurn(
  desired: DesiredDataSource,
  { rememberedBy, exact }: Pick<Scope, 'rememberedBy' | 'exact'>,
  { byKey }: Pick<Collection<Pick<DataSource, 'id' | 'name'>>, 'byKey'>,
): AliasTurn {
  const holderOf = ({ alias }: DesiredDataSource) => byKey.get(dataSourceKey(alias))?.[0];
  const giverOf = (one: DesiredDataSource): DesiredDataSource | undefined => {
    const holder = holderOf(one);
    const owner = holder && rememberedBy('DataSource', holder.id);
    if (owner?.kind !== 'DataSource' || owner.paused || owner.observeOnly) return undefined;
    return dataSourceKey(owner.alias) === dataSourceKey(one.alias) ? undefined : owner;
  };
  const holder = holderOf(desired);
  if (holder === undefined) return anyTurn;
  const giver = giverOf(desired);
  if (giver === undefined) return findTurnWithoutGiver(desired, holder, { rememberedBy, exact });
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

/** No definition gives the alias up: what has it goes by an exact collection, or keeps it. */
function findTurnWithoutGiver(
  { alias }: DesiredDataSource,
  { id, name }: Pick<DataSource, 'id' | 'name'>,
  { rememberedBy, exact }: Pick<Scope, 'rememberedBy' | 'exact'>,
): AliasTurn {
  const owner = rememberedBy('DataSource', id);
  if (owner === undefined && exact.includes('dataSources')) {
    return { ...anyTurn, after: [stepId('deleteDataSource', id)] };
  }
  // Two that declare one alias are refused for that.
  const isTwin = owner?.kind === 'DataSource' && dataSourceKey(owner.alias) === dataSourceKey(alias);
  return isTwin ? anyTurn : { ...anyTurn, keeper: { id, name } };
}
