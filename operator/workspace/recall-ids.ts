import { type Collection, collectionOf, type DesiredObject, naturalKeyOf } from '@rolecall/reconcile';
import { isDeleting } from '../resources/custom-object.ts';
import type { ReconcileContext } from './context.ts';
import type { GatheredState } from './desired-state.ts';
import { handOver } from './hand-over.ts';

type Gathered = Pick<GatheredState, 'desired' | 'declared'>;

/** Gives objects the ids of what this process made for them and their status does not have. */
export async function recallIds(context: ReconcileContext, gathered: Gathered): Promise<void> {
  const { status, view } = context;
  const { desired, declared } = gathered;
  const holders = new Map<DesiredObject['kind'], Map<string, string[]>>();
  for (const name of status.ids.labels()) {
    const [owner, object] = [declared.get(name), desired.get(name)];
    const collection = object && collectionOf[object.kind];
    if (owner === undefined || object === undefined || collection === undefined) continue;
    const all: Collection<{ id: string }> = await view[collection]();
    const named = holders.get(object.kind) ?? holdersByName(object.kind, gathered, all);
    holders.set(object.kind, named);
    for (const id of status.ids.of(owner.object)) {
      const heir = named.get(id)?.find((one) => one !== name);
      if (heir !== undefined) await inherit(context, gathered, heir, id);
      else if (all.byId.has(id)) continue;
      status.ids.drop(name, id);
    }
    const [noted] = status.ids.of(owner.object);
    const { id: recorded, isIdWritten: _isNotOfThese, ...rest } = object;
    const isThere = recorded !== undefined && all.byId.has(recorded);
    if (noted !== undefined && !isThere) desired.set(name, { ...rest, id: noted });
  }
}

/** Lets the object that has something by its name have it for good: it may be held back, and would leave it if it were deleted. */
async function inherit(
  context: ReconcileContext,
  { desired, declared }: Gathered,
  heir: string,
  id: string,
): Promise<void> {
  const taker = declared.get(heir);
  if (taker !== undefined && desired.get(heir)?.observeOnly === false) await handOver(context, taker, id);
}

/** The labels of the objects that have something by its name, by the id of that. Objects that are being deleted do not count. */
function holdersByName(
  kind: DesiredObject['kind'],
  { desired, declared }: Gathered,
  { byKey }: Collection<{ id: string }>,
): Map<string, string[]> {
  const holders = new Map<string, string[]>();
  for (const [name, object] of desired) {
    const one = declared.get(name);
    if (object.kind !== kind || one === undefined || isDeleting(one.object)) continue;
    for (const { id } of byKey.get(naturalKeyOf(object)) ?? []) holders.set(id, [...(holders.get(id) ?? []), name]);
  }
  return holders;
}
