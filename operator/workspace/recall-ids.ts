import { type Collection, collectionOf } from '@rolecall/reconcile';
import type { ReconcileContext } from './context.ts';
import type { GatheredState } from './desired-state.ts';

/** Gives objects the ids of what this process made for them and their status does not have. */
export async function recallIds(
  { status, view }: Pick<ReconcileContext, 'status' | 'view'>,
  { desired, declared }: Pick<GatheredState, 'desired' | 'declared'>,
): Promise<void> {
  for (const name of status.ids.labels()) {
    const [owner, object] = [declared.get(name), desired.get(name)];
    const collection = object && collectionOf[object.kind];
    if (owner === undefined || object === undefined || collection === undefined) continue;
    const { byId }: Collection<{ id: string }> = await view[collection]();
    for (const id of status.ids.of(owner.object)) if (!byId.has(id)) status.ids.drop(name, id);
    const [noted] = status.ids.of(owner.object);
    const { id: recorded, isIdWritten: _isNotOfThese, ...rest } = object;
    const isThere = recorded !== undefined && byId.has(recorded);
    if (noted !== undefined && !isThere) desired.set(name, { ...rest, id: noted });
  }
}
