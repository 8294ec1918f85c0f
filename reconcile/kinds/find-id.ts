import type { DesiredObject, DesiredPermission } from '../model/desired.ts';
import { dataSourceKey, pairKey, personKey, roleKey, snippetKey } from '../model/keys.ts';
import { isWindowOf } from '../model/window.ts';
import type { Collection, View } from '../view/view.ts';

/**
 * The id of what a definition means in the workspace: the recorded one, where that is there, for what has its natural key
 * by now may be somebody else's; without a record, what has the natural key, where it is one. Memberships have none.
 */
export async function findId(object: DesiredObject, view: View, now: Date): Promise<string | undefined> {
  switch (object.kind) {
    case 'Person':
      return find(object, await view.people(), personKey(object.username));
    case 'DataSource':
      return find(object, await view.dataSources(), dataSourceKey(object.alias));
    case 'Role':
      return find(object, await view.roles(), roleKey(object.role));
    case 'Snippet':
      return find(object, await view.snippets(), snippetKey(object.owner, object.snippet));
    case 'Permission':
      return findPermission(object, view, now);
    case 'RoleMembership':
      return undefined;
  }
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

function find({ id }: DesiredObject, collection: Collection<{ id: string }>, key: string): string | undefined {
  if (id !== undefined) return collection.byId.get(id)?.id;
  const candidates = collection.byKey.get(key) ?? [];
  return candidates.length === 1 ? candidates[0]?.id : undefined;
}

async function findPermission(desired: DesiredPermission, view: View, now: Date): Promise<string | undefined> {
  const permissions = await view.permissions();
  return desired.id === undefined ? findGrant(desired, view, now) : permissions.byId.get(desired.id)?.id;
}

/** The grant with the declared window: the recorded one where there are several, for another may be somebody else's. */
async function findGrant(desired: DesiredPermission, view: View, now: Date): Promise<string | undefined> {
  const permissions = await view.permissions();
  const person = (await view.people()).byKey.get(personKey(desired.person))?.[0];
  const dataSource = (await view.dataSources()).byKey.get(dataSourceKey(desired.dataSource))?.[0];
  if (person === undefined || dataSource === undefined) return undefined;
  const ofPair = permissions.byKey.get(pairKey(person.id, dataSource.id)) ?? [];
  const matching = ofPair.filter((permission) => isWindowOf(permission, desired, now));
  const recorded = matching.find(({ id }) => id === desired.id);
  return recorded?.id ?? (matching.length === 1 ? matching[0]?.id : undefined);
}
