import { collectionOf } from '../model/claims.ts';
import type { DesiredObject, DesiredPermission } from '../model/desired.ts';
import { dataSourceKey, pairKey, personKey } from '../model/keys.ts';
import { isWindowOf } from '../model/window.ts';
import type { Collection, View } from '../view/view.ts';
import { isAnothers } from './permission.ts';
import { kindOf, naturalKeyOf } from './registry.ts';

/**
 * The id of what a definition means in the workspace. A recorded id counts as long as the object is there: what has its natural key
 * by now may be another one. Without a record it is the only object that has the natural key. Memberships have no id.
 */
export async function findId(object: DesiredObject, view: View, now: Date): Promise<string | undefined> {
  const name = collectionOf[object.kind];
  if (name === undefined) return undefined;
  if (object.kind === 'Permission')
    return object.id === undefined ? findGrant(object, view, now) : findOwn(object, view);
  const collection: Collection<{ id: string }> = await view[name]();
  if (object.id !== undefined) return collection.byId.get(object.id)?.id;
  const candidates = collection.byKey.get(kindOf(object.kind).key(object)) ?? [];
  return candidates.length === 1 ? candidates[0]?.id : undefined;
}

/**
 * The id of what a definition has in the workspace once it was converged: the recorded one, where that is there; else, since
 * planning went by that as well, what has its natural key.
 */
export async function findCurrentId(object: DesiredObject, view: View, now: Date): Promise<string | undefined> {
  if (object.kind === 'Permission') return findGrant(object, view, now);
  const recorded = await findId(object, view, now);
  if (recorded !== undefined || object.id === undefined) return recorded;
  const { id: _gone, ...rest } = object;
  return findId(rest, view, now);
}

/** The permission with the recorded id. */
async function findOwn(desired: DesiredPermission, view: View): Promise<string | undefined> {
  const numbered = (await view.permissions()).byId.get(desired.id ?? '');
  const isOwn = numbered !== undefined && !isAnothers(numbered, desired, await findPair(desired, view));
  return isOwn ? numbered.id : undefined;
}

async function findPair({ person, dataSource }: DesiredPermission, view: View): Promise<string | undefined> {
  const holder = (await view.people()).byKey.get(personKey(person))?.[0];
  const source = (await view.dataSources()).byKey.get(dataSourceKey(dataSource))?.[0];
  return holder && source && pairKey(holder.id, source.id);
}

/** The grant with the declared window. Of several, the recorded one: another may belong to another definition. */
async function findGrant(desired: DesiredPermission, view: View, now: Date): Promise<string | undefined> {
  const permissions = await view.permissions();
  const ofPair = permissions.byKey.get((await findPair(desired, view)) ?? '') ?? [];
  const matching = ofPair.filter((permission) => isWindowOf(permission, desired, now));
  const recorded = matching.find(({ id }) => id === desired.id);
  return recorded?.id ?? (matching.length === 1 ? matching[0]?.id : undefined);
}

/**
 * Finds definitions whose recorded id belongs to another definition. The owner is the definition with that natural key, or else the first
 * one. Of permissions, the owner is the one that declares what was granted.
 */
export async function rememberingOthers(
  objects: readonly DesiredObject[],
  view: View,
  now: Date,
): Promise<DesiredObject[]> {
  const definitions: DesiredObject[] = [];
  for (const [kind, ofKind] of Map.groupBy(objects, (object) => object.kind)) {
    const name = collectionOf[kind];
    const remembering = ofKind.filter(({ id }) => id !== undefined);
    // Nearly always each remembers another one, and thousands need no group each.
    if (name === undefined || new Set(remembering.map(({ id }) => id)).size === remembering.length) continue;
    const { byKey }: Collection<{ id: string }> = await view[name]();
    const owns = async (object: DesiredObject): Promise<boolean> => {
      if (object.kind === 'Permission') return (await findCurrentId(object, view, now)) === object.id;
      return byKey.get(naturalKeyOf(object))?.some(({ id }) => id === object.id) ?? false;
    };
    for (const twins of Map.groupBy(remembering, ({ id }) => id).values()) {
      if (twins.length === 1) continue;
      const owning = await Promise.all(twins.map(owns));
      const owner = Math.max(0, owning.indexOf(true));
      definitions.push(...twins.filter((_, index) => index !== owner));
    }
  }
  return definitions;
}
