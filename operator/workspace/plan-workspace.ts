/** Plans a whole workspace, without what rails and the service refuse. */

import { randomBytes } from 'node:crypto';
import {
  type DesiredObject,
  type DesiredState,
  findUndeclared,
  holdBack,
  label,
  makePlanWithClaims,
  managerOf,
  type Plan,
  type PlanOptions,
  type PlanWithClaims,
  type Refusal,
  rememberingOthers,
  strictnessOf,
  type Undeclared,
  type View,
} from '@rolecall/reconcile';
import { hasFinalizer, isDeleting } from '../resources/custom-object.ts';
import { secretsOf } from '../resources/secrets.ts';
import type { Outcome } from '../status/conditions.ts';
import { refused } from '../status/outcomes.ts';
import { withGrantMade } from '../status/permission-status.ts';
import { managerName } from './client-pool.ts';
import type { ReconcileContext } from './context.ts';
import { type PlannedDeletion, planDeletions, takeDeletions } from './deletions.ts';
import { type GatheredState, gatherState } from './desired-state.ts';
import { recallIds } from './recall-ids.ts';

export interface WorkspacePlan extends Omit<Planned, 'held'>, GatheredState {
  readonly deletions: readonly PlannedDeletion[];
  readonly now: Date;
  /** The length of the planning. */
  readonly planningMs: number;
}

const salt = randomBytes(16).toString('hex');

/**
 * Compares what the objects of a workspace declare with what it has.
 *
 * @param mayRemove whether what is not declared may be removed from the collections that are exact
 * @param ranExactly the exact collections in which nothing undeclared was held back when the workspace was last planned
 * @throws what may pass: the workspace could not be read
 */
export async function planWorkspace(
  context: ReconcileContext,
  mayRemove: boolean,
  ranExactly: readonly Plan['exact'][number][],
): Promise<WorkspacePlan> {
  const { operator, workspace, view, connected, clock } = context;
  const { definition } = workspace;
  const { namespace } = workspace.object.metadata;
  const began = operator.clock.elapsed();
  const now = new Date(clock.now());
  context.refused.begin();
  const gathered = await gatherState(definition, declaring(context), operator.informer, now.getTime(), context);
  const { desired } = gathered;
  await recallIds(context, gathered);
  const deletions = await takeDeletions(context, gathered, now);
  await forgetOthers(gathered, view, now);
  if (context.bridges.size > 0) {
    const { byId } = await view.permissions();
    for (const id of context.bridges) if (!byId.has(id)) context.bridges.delete(id);
  }
  const held = new Map([...(await recall(context, gathered, now)), ...gathered.held]);
  // An object that came since then may declare what no other does.
  const isAll = (): boolean => declaring(context).every(([name]) => gathered.declared.has(name));
  const strictness = strictnessOf(definition.spec);
  const exact = mayRemove && isAll() ? strictness.exact : [];
  const absent = deletions.flatMap((deletion) => (deletion.stays === undefined ? (deletion.absent ?? []) : []));
  const state = { ...strictness, objects: [...desired.values()], exact, absent, bridges: context.bridges };
  const planned = await planAllowed(state, view, {
    workspace: { url: connected.url, name: definition.metadata.name },
    overrides: [],
    manager: {
      ...managerOf(managerName(`${namespace}/${definition.metadata.name}`), connected.client),
      ranExactly,
    },
    now,
    resolveSecret: secretsOf(namespace, operator.informer),
    salt,
    bare: true,
  });
  const planningMs = operator.clock.elapsed() - began;
  return {
    ...{ ...gathered, ...planned, held: new Map([...planned.held, ...held]), now, planningMs },
    deletions: planDeletions(deletions, planned, view),
  };
}

/** A deleted object declares what it did until that is removed: an exact collection would remove it otherwise, protected or not. */
function declaring({ objects }: ReconcileContext) {
  return objects.entries().filter(([, { object }]) => !isDeleting(object) || hasFinalizer(object));
}

/** Forgets recorded ids of what another object owns by now. An id in an annotation stays. */
async function forgetOthers({ desired }: GatheredState, view: View, now: Date): Promise<void> {
  for (const object of await rememberingOthers([...desired.values()], view, now)) {
    if (object.isIdWritten) continue;
    const { id: _others, ...rest } = object;
    desired.set(label(object), rest);
  }
}

/** Takes over what earlier reconciles left: grants that were not written down, and refusals of the service, which it returns. */
async function recall(
  { refused: refusedObjects, view }: ReconcileContext,
  { desired, declared }: GatheredState,
  now: Date,
) {
  const refusedBefore = new Map<string, Outcome>();
  for (const [name, object] of desired) {
    const wanted = object.kind === 'Permission' ? await withGrantMade(object, declared.get(name), view, now) : object;
    const refusal = refusedObjects.find(name, () => asDeclared(wanted));
    if (refusal !== undefined) refusedBefore.set(name, refusal);
    if (refusal !== undefined || wanted !== object)
      desired.set(name, refusal === undefined ? wanted : holdBack(wanted));
  }
  return refusedBefore;
}

/** An object as it is declared, without what only this reconcile knows. */
export const asDeclared = (object: DesiredObject | undefined): string =>
  JSON.stringify({ ...object, paused: false, waits: undefined });

export interface Planned extends Pick<PlanWithClaims, 'plan' | 'claimsOf' | 'heldAbsent'> {
  /** Objects that a rail holds up, wholly or in part, with their outcome. */
  readonly held: ReadonlyMap<string, Outcome>;
  /** The rails that keep undeclared objects from being removed, if any do. */
  readonly removals: readonly Refusal[];
  /** Objects of the workspace that nothing declares, as far as they were read, without those that the plan removes. */
  readonly undeclared: Undeclared;
}

/**
 * Makes a plan whose steps may run: without what a rail refuses of the objects, and of the removals of what is not declared.
 *
 * @throws what `makePlan` throws
 */
export async function planAllowed(state: DesiredState, view: View, options: PlanOptions): Promise<Planned> {
  // Objects come one by one in a cluster: a share that is refused is about removals, and no reason to hold up a grant.
  const { claimed, held, heldRemovals, ...planned } = await makePlanWithClaims(state, view, {
    ...options,
    isOneByOne: true,
  });
  const undeclared = await findUndeclared(
    { objects: state.objects, claimed, steps: planned.plan.steps },
    view,
    options.now,
    false,
  );
  return {
    ...planned,
    held: new Map([...held].map(([name, refusals]) => [name, refused(refusals)])),
    removals: heldRemovals,
    undeclared,
  };
}
