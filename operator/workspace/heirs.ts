import {
  type Collection,
  collectionOf,
  type DesiredObject,
  type DesiredRole,
  label,
  roleKey,
  type View,
} from '@rolecall/reconcile';
import { labelOf } from '../resources/custom-object.ts';
import type { DeclaredObject } from '../resources/parse.ts';
import { waiting } from '../status/outcomes.ts';
import { homeOf, placeOf, recordedId } from '../status/recorded-id.ts';
import type { ReconcileContext } from './context.ts';

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
export async function handOver(context: ReconcileContext, heir: DeclaredObject, id: string | undefined): Promise<void> {
  const { status, view } = context;
  const { object, definition } = heir;
  await status.own(labelOf(object));
  if (id === undefined) return;
  status.ids.note(object, id);
  const collection = collectionOf[definition.kind];
  const all: Collection<{ id: string }> | undefined = collection && (await view[collection]());
  const home = homeOf(context);
  const recorded = recordedId(status.latest(heir), home);
  // What is recorded may be gone: a person who takes the name of another one is deleted before the other one.
  if (recorded !== undefined && all?.byId.has(recorded) === true) return;
  const outcome = waiting('Waiting', 'It takes over what another object had.');
  const place = object.kind === 'Permission' ? placeOf(id, home) : { id };
  await status.writeNow(heir, { ...outcome, ...place });
}
