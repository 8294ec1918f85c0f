/** What objects have in the workspace though their status does not say so, or not yet. */

import {
  type Collection,
  collectionOf,
  type DesiredObject,
  type DesiredRole,
  findCurrentId,
  label,
  naturalKeyOf,
  roleKey,
  type View,
} from '@rolecall/reconcile';
import { isDeleting, labelOf, recordedId } from '../resources/custom-object.ts';
import type { DeclaredObject } from '../resources/parse.ts';
import { waiting } from '../status/outcomes.ts';
import type { ReconcileContext } from './context.ts';
import type { GatheredState } from './desired-state.ts';

type Gathered = Pick<GatheredState, 'desired' | 'declared'>;

/** Gives objects the ids of what this process made for them and their status does not have. */
export async function recallIds({ status, view }: ReconcileContext, gathered: Gathered, now: Date): Promise<void> {
  const { desired, declared } = gathered;
  const holders = new Map<DesiredObject['kind'], Map<string, string[]>>();
  for (const name of status.ids.labels()) {
    const [owner, object] = [declared.get(name), desired.get(name)];
    const collection = object && collectionOf[object.kind];
    if (owner === undefined || object === undefined || collection === undefined) continue;
    const all: Collection<{ id: string }> = await view[collection]();
    const named = holders.get(object.kind) ?? holdersByName(object.kind, gathered, all);
    holders.set(object.kind, named);
    for (const id of status.ids.of(owner.object))
      if (!all.byId.has(id) || named.get(id)?.some((one) => one !== name) === true) status.ids.drop(name, id);
    const noted = status.ids.of(owner.object);
    if (noted.length === 0) continue;
    const { id: recorded, ...rest } = object;
    const known = [...(recorded !== undefined && all.byId.has(recorded) ? [recorded] : []), ...noted];
    // A role with another name is to go; one that has the declared name is found by that.
    const current = object.kind === 'Role' ? await findCurrentId(rest, view, now) : undefined;
    const id = known.find((one) => one !== current) ?? known[0];
    if (id !== undefined) desired.set(name, { ...object, id });
  }
}

/** Who of a kind has what by its name, but for objects that are being deleted: by id, with their labels. */
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

/**
 * Finds roles that take over what other roles give up, which are renamed: by label, with the id of what they take over.
 * Other kinds keep what they have.
 */
export async function findHeirs(desired: ReadonlyMap<string, DesiredObject>, view: View): Promise<Map<string, string>> {
  const roles = [...desired.values()].filter((object): object is DesiredRole => object.kind === 'Role');
  const byKey = new Map(roles.map((role) => [roleKey(role.role), role]));
  const heirs = new Map<string, string>();
  for (const { id, role } of roles) {
    const remembered = id === undefined ? undefined : (await view.roles()).byId.get(id);
    if (remembered === undefined || roleKey(remembered.name) === roleKey(role)) continue;
    const heir = byKey.get(roleKey(remembered.name));
    if (heir !== undefined && heir.id !== remembered.id && !heir.observeOnly) heirs.set(label(heir), remembered.id);
  }
  return heirs;
}

/**
 * Hands something to the object that declares it, before another one that had it forgets it: if the heir were deleted or renamed right
 * after, it would stay for ever.
 *
 * @param id of what is handed over; undefined for what has none
 * @throws StatusError where the heir is gone
 */
export async function handOver({ status, connected }: ReconcileContext, heir: DeclaredObject, id: string | undefined) {
  const { object } = heir;
  await status.own(labelOf(object));
  if (id === undefined) return;
  status.ids.note(object, id);
  if (recordedId(status.latest(heir), connected.url) !== undefined) return;
  const outcome = waiting('Waiting', 'It takes over what another object had.');
  const workspace = object.kind === 'Permission' ? { workspace: connected.url } : {};
  await status.writeNow(heir, { ...outcome, id, ...workspace });
}
