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
import {
  failed,
  howToRelease,
  invalid,
  removalRefused,
  stalled,
  waiting,
  waitingFor,
  withReleaseHint,
} from '../status/outcomes.ts';
import type { ReconcileContext } from './context.ts';
import type { GatheredState } from './desired-state.ts';
import { handOver } from './hand-over.ts';
import { recallIds } from './recall-ids.ts';
import type { Ran } from './run-plan.ts';

/** What `RefusedObjects` has as the declaration of an object whose removal the service refused. */
const removal = 'removal';

/** A deleted object before the workspace is planned. */
export interface Deletion {
  readonly declared: DeclaredObject;
  /** What it has in the workspace; undefined if it has nothing there. */
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
  const own = new Map<string, DesiredObject>();
  for (const { object } of deleted) {
    const name = labelOf(object);
    const last = conflicts.get(name)?.desired ?? desired.get(name);
    if (last !== undefined) own.set(name, last);
  }
  await recallIds(context, { desired: own, declared });
  const remaining = [...desired.values()].filter((object) => !own.has(label(object)));
  const absent = await findAbsent([...own.values()], remaining, context.view, now);
  return deleted.map((one) => {
    const name = labelOf(one.object);
    const stays = whyStays(context, one, own.get(name), remaining);
    if (stays === undefined) desired.delete(name);
    return { declared: one, absent: absent.get(name), stays };
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
    return waiting('Paused', 'It is deleted, and removed once it is not paused any more.');
  if (desired.protected)
    return stalled('Protected', 'It is protected: take the annotation rolecall.dev/protected away, and it is removed.');
  return refusedObjects.find(labelOf(object), () => removal);
}

/** What would remove an object that its deletion leaves in the workspace, and how to avoid that. */
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
    (one) =>
      one.kind === 'Role' &&
      roleKey(one.role) === roleKey(desired.role) &&
      one[list] !== undefined &&
      !one.observeOnly &&
      !one.paused,
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

/** How a definition claims it. */
const claimOf = (absent: Absent): string =>
  `${absent.kind} ${absent.kind === 'RoleMembership' ? `${absent.role}/${absent.member.id}` : absent.id}`;

/** Lets deleted objects go as what each had goes, and tells why those stay that stay. */
export class DeletionReport {
  readonly #context: ReconcileContext;
  readonly #left: Map<string, PlannedDeletion>;
  readonly #made = new Set<string>();

  constructor(context: ReconcileContext, deletions: readonly PlannedDeletion[]) {
    this.#context = context;
    this.#left = new Map(deletions.map((deletion) => [labelOf(deletion.declared.object), deletion]));
  }

  /** Takes a step that succeeded. */
  made({ id }: Step): void {
    this.#made.add(id);
  }

  /** Releases an object whose own steps have all succeeded. */
  ran(name: string): void {
    const deletion = this.#left.get(name);
    if (deletion !== undefined && deletion.heir === undefined && this.#isGone(deletion)) this.#release(name, deletion);
  }

  /**
   * Releases or reports all others once the run has ended.
   *
   * @param heirs the objects that were planned, by label
   * @param isPostponed tells whether an object has steps that are left to a later reconcile
   * @param causes the objects for which steps did not run, by the label of the object that has these
   */
  async finish(
    ran: Ran,
    heirs: ReadonlyMap<string, DeclaredObject>,
    isPostponed: (name: string) => boolean,
    causes: ReadonlyMap<string, string>,
  ): Promise<void> {
    for (const [name, deletion] of this.#left) {
      if (!(await this.#handOver(deletion, heirs.get(deletion.heir ?? '')))) continue;
      if (this.#isGone(deletion)) this.#release(name, deletion);
      else this.#reportStaying(name, deletion, ran, isPostponed, causes.get(name));
    }
  }

  #reportStaying(
    name: string,
    { declared, ending, stays }: PlannedDeletion,
    ran: Ran,
    isPostponed: (name: string) => boolean,
    cause: string | undefined,
  ): void {
    const { status, refused } = this.#context;
    const failure = ran.failed.get(name);
    if (failure !== undefined) {
      const outcome = { ...failure.outcome, message: withReleaseHint(declared.object, failure.outcome.message) };
      if (ran.refused.has(name)) refused.add(name, removal, outcome);
      status.report(declared, outcome, failure.error);
      return;
    }
    if (typeof stays === 'object') {
      status.report(declared, stays);
      return;
    }
    const owners = ending.map(({ object }) => label(object));
    if ([name, ...owners].some(isPostponed)) return;
    const [owner = name] = owners;
    const outcome = cause === undefined ? goesWith(owner) : waitingFor(cause);
    status.report(declared, outcome, ran.failed.get(owner)?.error);
  }

  /**
   * Hands what a deleted object has to the object that declares it still, even to one that a rail holds back: else it would stay for ever.
   *
   * @returns false where that failed, and is tried again
   */
  async #handOver({ declared, absent }: PlannedDeletion, heir: DeclaredObject | undefined): Promise<boolean> {
    if (absent === undefined || heir === undefined || declared.problem !== undefined) return true;
    try {
      await handOver(this.#context, heir, 'id' in absent ? absent.id : undefined);
      return true;
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      this.#context.status.report(declared, failed(error), error);
      return false;
    }
  }

  /** True if nothing of an object is left in the workspace, except for what is another object's. */
  #isGone({ declared, heir, ending, stays }: PlannedDeletion): boolean {
    if (declared.problem !== undefined) return false;
    if (ending.length > 0) return ending.some(({ id }) => this.#made.has(id));
    return heir !== undefined || stays === undefined || stays === 'released';
  }

  #release(name: string, { declared }: PlannedDeletion): void {
    this.#left.delete(name);
    this.#context.status.release(declared);
  }
}

const goesWith = (owner: string): Outcome =>
  waiting('Waiting', `It goes together with ${owner}, which could not be removed. ${howToRelease}`);
