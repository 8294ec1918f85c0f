/** Deleted objects of a cluster: what each has in the workspace, whether that goes, and when the object is released. */

import { collectionWords, type ExactCollection, isAnnotated } from '@rolecall/crds';
import {
  type Absent,
  collectionOf,
  type DesiredObject,
  EndingSteps,
  findAbsent,
  label,
  type PlanWithClaims,
  roleKey,
  type Step,
} from '@rolecall/reconcile';
import { isDeleting, labelOf } from '../resources/custom-object.ts';
import type { DeclaredObject } from '../resources/parse.ts';
import type { Outcome } from '../status/conditions.ts';
import { invalid, removalRefused, stalled, waiting, withReleaseHint } from '../status/outcomes.ts';
import type { ReconcileContext } from './context.ts';
import type { GatheredState } from './desired-state.ts';
import { recallIds } from './recall-ids.ts';

/** Stands in `RefusedObjects` for the declaration of an object whose removal the service refused. */
export const removal = 'removal';

/** A deleted object before the workspace is planned. */
export interface Deletion {
  readonly declared: DeclaredObject;
  /** The part of the workspace that is its own; undefined if it has nothing there. */
  readonly absent: Absent | undefined;
  /** Why that stays for now; `released` where it stays for good. */
  readonly stays: Outcome | 'released' | undefined;
}

/**
 * Takes the deleted objects out of what is desired, except for those whose deletion has to wait: what these have is theirs until then.
 *
 * @param gathered `desired` loses those that go
 */
export async function takeDeletions(
  context: ReconcileContext,
  gathered: GatheredState,
  now: Date,
): Promise<Deletion[]> {
  const { desired, declared, conflicts } = gathered;
  const deleted = [...declared.values()].filter(
    ({ object }) => isDeleting(object) && !context.status.waitsForWrite(labelOf(object)),
  );
  if (deleted.length === 0) return [];
  const desiredByLabel = new Map<string, DesiredObject>();
  for (const { object } of deleted) {
    const name = labelOf(object);
    const last = conflicts.get(name)?.desired ?? desired.get(name);
    if (last !== undefined) desiredByLabel.set(name, last);
  }
  await recallIds(context, { desired: desiredByLabel, declared });
  const remaining = [...desired.values()].filter((object) => !desiredByLabel.has(label(object)));
  const absent = await findAbsent([...desiredByLabel.values()], remaining, context.view, now);
  return deleted.map((deletedObject) => {
    const name = labelOf(deletedObject.object);
    const stays = whyStays(context, deletedObject, desiredByLabel.get(name), remaining);
    if (stays === undefined) desired.delete(name);
    return { declared: deletedObject, absent: absent.get(name), stays };
  });
}

/** Why what a deleted object has in the workspace is not removed now; undefined where it is. */
function whyStays(
  { workspace, refused: refusedObjects }: ReconcileContext,
  declared: DeclaredObject,
  desired: DesiredObject | undefined,
  remaining: readonly DesiredObject[],
): Outcome | 'released' | undefined {
  const { object, definition, problem } = declared;
  if (problem !== undefined) return invalid(withReleaseHint(object, problem));
  const { managementPolicy, deletionPolicy } = definition.spec;
  if (managementPolicy !== 'Full' || deletionPolicy !== 'Delete') {
    const exact = isDeleting(workspace.object) ? [] : (workspace.definition.spec.exact ?? []);
    const remover = removerOf(declared, desired, exact, remaining);
    if (remover === undefined) return 'released';
    const policy = managementPolicy === 'Full' ? 'deletionPolicy: Orphan' : 'managementPolicy: Observe';
    return stalled('Exact', `${policy} leaves it in the workspace, but ${remover}.`);
  }
  if (desired === undefined) return 'released';
  if (isAnnotated(definition, 'rolecall.dev/paused'))
    return waiting('Paused', 'It is deleted. The operator removes it once it is no longer paused.');
  if (desired.protected)
    return stalled('Protected', 'It is protected: to have it removed, remove the annotation rolecall.dev/protected.');
  return refusedObjects.find(labelOf(object), () => removal);
}

/** Says what would remove an object that its deletion leaves in the workspace, and how to avoid that. */
function removerOf(
  { definition }: DeclaredObject,
  desired: DesiredObject | undefined,
  exact: readonly ExactCollection[],
  remaining: readonly DesiredObject[],
): string | undefined {
  const orRemove = 'or let it be removed with managementPolicy: Full and deletionPolicy: Delete';
  const collection = collectionOf[definition.kind];
  if (collection !== undefined) {
    if (!exact.includes(collection)) return undefined;
    return `the Workspace removes undeclared ${collectionWords[collection]}: take ${collection} out of its spec.exact, ${orRemove}`;
  }
  if (exact.includes('memberships'))
    return `the Workspace removes undeclared memberships: take memberships, and roles, which include them, out of its spec.exact, ${orRemove}`;
  if (desired?.kind !== 'RoleMembership') return undefined;
  const list = desired.member.kind === 'Person' ? 'people' : 'dataSources';
  const role = remaining.find(
    (object) =>
      object.kind === 'Role' &&
      roleKey(object.role) === roleKey(desired.role) &&
      object[list] !== undefined &&
      !object.observeOnly &&
      !object.paused,
  );
  if (role === undefined) return undefined;
  return `${label(role)} sets its ${collectionWords[list]} as a whole: name it there, take ${list} out of the role, or delete the role first`;
}

/** A deleted object once the workspace is planned. */
export interface PlannedDeletion extends Deletion {
  /** The label of the object that declares, too, what this one has. */
  readonly heir: string | undefined;
  /** The steps by which that goes. */
  readonly ending: readonly Step[];
}

/** Adds to deletions what the plan makes of them. */
export function planDeletions(
  deletions: readonly Deletion[],
  { plan, claimsOf, heldAbsent }: Pick<PlanWithClaims, 'plan' | 'claimsOf' | 'heldAbsent'>,
  view: ReconcileContext['view'],
): PlannedDeletion[] {
  if (deletions.length === 0) return [];
  const steps = new EndingSteps([...plan.steps, ...plan.held], view);
  const heirs = findHeirs(deletions, claimsOf);
  return deletions.map((deletion) => {
    const { declared, absent, stays } = deletion;
    const name = labelOf(declared.object);
    const refusals = heldAbsent.get(name);
    return {
      ...deletion,
      stays: stays ?? (refusals && removalRefused(refusals)),
      heir: absent && heirs.get(claimOf(absent)),
      ending: absent === undefined || stays === 'released' ? [] : steps.of(absent),
    };
  });
}

/** The other objects that mean what deleted ones have, by the claim. */
function findHeirs(deletions: readonly Deletion[], claimsOf: PlanWithClaims['claimsOf']): Map<string, string> {
  const deleted = new Set(deletions.map(({ declared }) => labelOf(declared.object)));
  const wanted = new Set(deletions.flatMap(({ absent }) => (absent === undefined ? [] : [claimOf(absent)])));
  const heirs = new Map<string, string>();
  for (const [name, ids] of claimsOf) {
    if (deleted.has(name)) continue;
    const kind = name.slice(0, name.indexOf('/'));
    for (const id of ids) if (wanted.has(`${kind} ${id}`)) heirs.set(`${kind} ${id}`, name);
  }
  return heirs;
}

/** The claim by which a definition takes it over. */
const claimOf = (absent: Absent): string =>
  `${absent.kind} ${absent.kind === 'RoleMembership' ? `${absent.role}/${absent.member.id}` : absent.id}`;
