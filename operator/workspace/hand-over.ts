import { type Collection, collectionOf } from '@rolecall/reconcile';
import { labelOf } from '../resources/custom-object.ts';
import type { DeclaredObject } from '../resources/parse.ts';
import { waiting } from '../status/outcomes.ts';
import { homeOf, placeOf, recordedId } from '../status/recorded-id.ts';
import type { ReconcileContext } from './context.ts';

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
  await status.hold(labelOf(object));
  if (id === undefined) return;
  status.ids.note(object, id);
  const collection = collectionOf[definition.kind];
  const all: Collection<{ id: string }> | undefined = collection && (await view[collection]());
  const home = homeOf(context);
  const recorded = recordedId(status.latest(heir), home);
  // What is recorded may be gone, and then counts for nothing.
  if (recorded !== undefined && all?.byId.has(recorded) === true) return;
  const outcome = waiting('Waiting', 'It takes over what another object had.');
  const place = object.kind === 'Permission' ? placeOf(id, home) : { id };
  await status.writeNow(heir, { ...outcome, ...place });
}
