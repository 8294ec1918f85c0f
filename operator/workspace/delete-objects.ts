/** Removes from a workspace what deleted objects made there. */

import { collectionWords, type ExactCollection, isAnnotated } from '@rolecall/crds';
import {
  collectionOf,
  type DesiredObject,
  dataSourceKey,
  findCurrentId,
  type GuardedRole,
  isApart,
  label,
  personKey,
  refuseLastMembers,
  removalSteps,
  roleKey,
} from '@rolecall/reconcile';
import { hasFinalizer, isDeleting, labelOf } from '../resources/custom-object.ts';
import type { DeclaredObject } from '../resources/parse.ts';
import type { Outcome } from '../status/conditions.ts';
import { logStep } from '../status/events.ts';
import { howToRelease, invalid, refused, stalled, waiting, withReleaseHint } from '../status/outcomes.ts';
import type { DeclaredObjects, ReconcileContext } from './context.ts';
import { type GatheredState, gatherState } from './desired-state.ts';
import { handOver } from './hand-over.ts';
import { recallIds } from './recall-ids.ts';
import { type Ran, runSteps } from './run-plan.ts';

/** What `RefusedObjects` has as the declaration of an object whose removal the service refused. */
const removal = 'removal';

interface Removable {
  readonly desired: DesiredObject;
  readonly declared: DeclaredObject;
}

/**
 * Removes what deleted objects made, and releases each object as soon as that is done.
 *
 * @param deleted objects that are being deleted
 * @returns whether anything was removed
 */
export async function deleteObjects(context: ReconcileContext, deleted: readonly DeclaredObject[]): Promise<boolean> {
  const { objects, workspace, operator, clock, status } = context;
  const owned = deleted.filter(({ object }) => hasFinalizer(object) && !status.waitsForWrite(labelOf(object)));
  if (owned.length === 0) return false;
  const now = new Date(clock.now());
  const leaving = new Set(owned);
  const all = objects.entries().filter(([, declared]) => leaving.has(declared) || !isDeleting(declared.object));
  const gathered = await gatherState(workspace.definition, all, operator.informer, now.getTime(), context);
  await handOverTwins(context, owned, gathered, now);
  // One that is deleted, too, may have got something.
  await recallIds(context, gathered);
  const remaining = new Map(gathered.desired);
  for (const { object } of owned) remaining.delete(labelOf(object));
  const removable = new Map<string, Removable>();
  for (const one of owned) {
    const name = labelOf(one.object);
    const own = gathered.desired.get(name);
    const outcome = whyNot(context, one, own, remaining);
    if (outcome === 'nothing to remove') status.release(one);
    else if (outcome !== undefined) status.report(one, outcome);
    else if (own !== undefined) removable.set(name, { desired: own, declared: one });
  }
  return removeAll(context, removable, [...remaining.values()], now);
}

/**
 * Leaves what a deleted object made to the one that declares the same, even while a rail holds that one back: else it would stay for ever.
 * What a deleted object has beside that becomes what it declares.
 */
async function handOverTwins(
  context: ReconcileContext,
  deleted: readonly DeclaredObject[],
  { desired, declared, conflicts }: GatheredState,
  now: Date,
): Promise<void> {
  for (const { object } of deleted) {
    const conflict = conflicts.get(labelOf(object));
    if (conflict !== undefined) desired.set(labelOf(object), conflict.desired);
  }
  await recallIds(context, { desired, declared });
  for (const { object, problem } of deleted) {
    const name = labelOf(object);
    const { owner = '' } = conflicts.get(name) ?? {};
    const [own, heir, taker] = [desired.get(name), desired.get(owner), declared.get(owner)];
    if (own === undefined || heir === undefined || taker === undefined) continue;
    if (await isApart(own, heir, context.view, now)) continue;
    desired.delete(name);
    if (problem === undefined) await handOver(context, taker, await findCurrentId(own, context.view, now));
  }
}

/** Why what an object made is not removed now; undefined where it is. */
function whyNot(
  { workspace, refused: refusedObjects }: ReconcileContext,
  declared: DeclaredObject,
  desired: DesiredObject | undefined,
  remaining: ReadonlyMap<string, DesiredObject>,
): Outcome | 'nothing to remove' | undefined {
  const { object, definition, problem } = declared;
  if (problem !== undefined) return invalid(withReleaseHint(object, problem));
  const { managementPolicy, deletionPolicy } = definition.spec;
  if (managementPolicy !== 'Full' || deletionPolicy !== 'Delete') {
    const exact = isDeleting(workspace.object) ? [] : (workspace.definition.spec.exact ?? []);
    const remover = removerOf(declared, desired, exact, remaining);
    if (remover === undefined) return 'nothing to remove';
    const policy = managementPolicy === 'Full' ? 'deletionPolicy: Orphan' : 'managementPolicy: Observe';
    return stalled('Exact', `${policy} leaves it in the workspace, but ${remover}.`);
  }
  if (desired === undefined) return 'nothing to remove';
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
  remaining: ReadonlyMap<string, DesiredObject>,
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
  const role = remaining
    .values()
    .find(
      (one) =>
        one.kind === 'Role' &&
        roleKey(one.role) === roleKey(desired.role) &&
        one[list] !== undefined &&
        isKeptExact(one),
    );
  if (role === undefined) return undefined;
  return `${label(role)} sets its ${collectionWords[list]} as a whole: name it there, take ${list} out of the role, or delete the role first`;
}

const isKeptExact = ({ observeOnly, paused }: DesiredObject): boolean => !observeOnly && !paused;

async function removeAll(
  context: ReconcileContext,
  removable: Map<string, Removable>,
  remaining: readonly DesiredObject[],
  now: Date,
): Promise<boolean> {
  const { operator, workspace, view, connected, status } = context;
  const { namespace } = workspace.object.metadata;
  const steps = await stepsOf(context, removable, remaining, now);
  const done = new Set<string>();
  const release = (name: string): void => {
    const removed = removable.get(name);
    if (removed === undefined || done.has(name)) return;
    done.add(name);
    status.release(removed.declared);
  };
  const ran = await runSteps(steps, {
    client: connected.client,
    view,
    resolveSecret: () => Promise.reject(new Error(`a removal from ${namespace} asked for a secret`)),
    signal: operator.signal,
    concurrency: operator.concurrency,
    onStep: (step) => {
      logStep(operator.log, namespace, step);
    },
    onObject: release,
  });
  if (ran.isDoubtful) context.expireView();
  operator.signal.throwIfAborted();
  for (const [name, { desired, declared }] of removable) {
    if (done.has(name)) continue;
    const failure = ran.failed.get(name);
    // What falls with another object has no step of its own, and is there as long as that object is.
    const owner = failure === undefined ? failedOwner(desired, removable, ran) : undefined;
    if (failure !== undefined) {
      const outcome = { ...failure.outcome, message: withReleaseHint(declared.object, failure.outcome.message) };
      if (ran.refused.has(name)) context.refused.add(name, removal, outcome);
      status.report(declared, outcome, failure.error);
    } else if (owner === undefined) release(name);
    else status.report(declared, waiting('Waiting', goesWith(owner)), ran.failed.get(owner)?.error);
  }
  return steps.length > 0;
}

const goesWith = (owner: string): string =>
  `It goes together with ${owner}, which could not be removed. ${howToRelease}`;

/**
 * The steps of a removal that leaves each protected role at least one member. An object that would take the last one is taken out of
 * what is removable: what would have gone along with a person may then have to go by itself.
 */
async function stepsOf(
  { objects, view, status }: ReconcileContext,
  removable: Map<string, Removable>,
  remaining: readonly DesiredObject[],
  now: Date,
) {
  for (;;) {
    const wanted = [...removable.values()].map(({ desired }) => desired);
    const steps = await removalSteps(wanted, remaining, view, now);
    const refusals = await refuseLastMembers(steps, guardedRoles(objects), view, now);
    const takers = [...refusals].filter(([name]) => removable.has(name));
    if (takers.length === 0) return steps;
    for (const [name, ofObject] of takers) {
      const declared = removable.get(name)?.declared;
      removable.delete(name);
      if (declared !== undefined) status.report(declared, refused(ofObject));
    }
  }
}

/** Protected roles, with those that are deleted and held by their protection: they are not to be left empty either. */
function guardedRoles(objects: DeclaredObjects): GuardedRole[] {
  return [...objects.values()].flatMap(({ object, definition }) => {
    if (definition.kind !== 'Role' || !isAnnotated(definition, 'rolecall.dev/protected')) return [];
    const { id } = object.status;
    const { name } = object.metadata;
    return [{ kind: 'Role', name, role: definition.spec.name, ...(id === undefined ? {} : { id }) }];
  });
}

/** The label of an object that this one belongs to and whose removal failed. */
function failedOwner(desired: DesiredObject, removable: ReadonlyMap<string, Removable>, ran: Ran): string | undefined {
  const keys = ownerKeys(desired);
  return [...removable].find(([name, one]) => ran.failed.has(name) && keys.has(keyOf(one.desired) ?? ''))?.[0];
}

const personOwner = (username: string): string => `Person ${personKey(username)}`;
const roleOwner = (role: string): string => `Role ${roleKey(role)}`;
const dataSourceOwner = (alias: string): string => `DataSource ${dataSourceKey(alias)}`;

function keyOf(object: DesiredObject): string | undefined {
  switch (object.kind) {
    case 'Person':
      return personOwner(object.username);
    case 'Role':
      return roleOwner(object.role);
    case 'DataSource':
      return dataSourceOwner(object.alias);
    default:
      return undefined;
  }
}

function ownerKeys(object: DesiredObject): Set<string> {
  switch (object.kind) {
    case 'RoleMembership': {
      const { member } = object;
      const key = member.kind === 'Person' ? personOwner(member.username) : dataSourceOwner(member.alias);
      return new Set([roleOwner(object.role), key]);
    }
    case 'Permission':
      return new Set([personOwner(object.person), dataSourceOwner(object.dataSource)]);
    case 'Snippet': {
      const { owner } = object;
      if (owner === undefined) return new Set();
      return new Set([owner.kind === 'Person' ? personOwner(owner.username) : roleOwner(owner.role)]);
    }
    default:
      return new Set();
  }
}
