/** Turns the objects of one workspace into what the engine takes, and finds those that cannot be converged now. */

import {
  containedRoles,
  createReferenceIndex,
  type DefinitionOf,
  naturalKey,
  type ObjectDefinition,
  type ReferenceIndex,
} from '@rolecall/crds';
import { type DesiredObject, findTwins, holdBack, label, toDesired } from '@rolecall/reconcile';
import { isDeleting, labelOf } from '../resources/custom-object.ts';
import type { DeclaredObject } from '../resources/parse.ts';
import { readPassword } from '../resources/secrets.ts';
import type { SecretsInformer } from '../resources/secrets-informer.ts';
import type { Outcome } from '../status/conditions.ts';
import { containment, forTheRecord, invalid, stalled, waiting } from '../status/outcomes.ts';
import { anchor, isBeginning, isForTheRecord, isTimed } from '../status/permission-window.ts';
import { homeOf, recordedId } from '../status/recorded-id.ts';
import type { ReconcileContext } from './context.ts';

export interface GatheredState {
  /** The objects that were gathered, by label, with what they refer to filled in. */
  readonly declared: ReadonlyMap<string, DeclaredObject>;
  /** The declarations, by label, except those that another object makes as well. */
  readonly desired: Map<string, DesiredObject>;
  /** Objects that cannot be converged now, with their outcome; the engine leaves what they declare as it is. */
  readonly held: ReadonlyMap<string, Outcome>;
  /** Objects that declare what another object declares. */
  readonly conflicts: ReadonlyMap<string, Conflict>;
  /** Permissions and memberships whose window would begin now if they were granted. */
  readonly beginning: ReadonlySet<string>;
  /** Roles whose data sources stay as they are, by label, with why. */
  readonly undetermined: ReadonlyMap<string, string>;
}

export interface Conflict {
  /** The label of the object that has it. */
  readonly owner: string;
  readonly outcome: Outcome;
  /** The declaration of the object. */
  readonly desired: DesiredObject;
}

/**
 * Turns the objects of a workspace into what the engine takes.
 *
 * @param objects each with its label, in any order; of two that declare the same thing, the older one has it, and one that stays goes before one
 *   that is being deleted
 * @param now milliseconds since 1970
 * @param context a role that would lose what `missing` kinds add keeps the data sources that it has
 */
export async function gatherState(
  workspace: DefinitionOf<'Workspace'>,
  objects: Iterable<readonly [string, DeclaredObject]>,
  informer: SecretsInformer,
  now: number,
  context: Pick<ReconcileContext, 'missing' | 'view' | 'connected'>,
): Promise<GatheredState> {
  const { missing, view } = context;
  const { declared, held, beginning } = await fillIn(objects, informer, now);
  const index = createReferenceIndex([workspace, ...declared.values().map(({ definition }) => definition)]);
  if (declared.values().some(({ object: { kind, status } }) => kind === 'Permission' && status.id !== undefined))
    await view.permissions();
  const home = homeOf(context);
  const desired = new Map<string, DesiredObject>();
  const undetermined = new Map<string, string>();
  for (const [name, declaration] of declared) {
    const { definition, object } = declaration;
    const isOver = held.get(name) === forTheRecord;
    const outcome = whyHeld(declaration, index);
    if (outcome !== undefined) held.set(name, outcome);
    if (isOver) continue;
    const made = desiredOf(definition, recordedId(object, home), index);
    const unknown = definition.kind === 'Role' ? whyUnknown(definition, index, missing) : undefined;
    if (made.kind === 'Role' && unknown !== undefined) {
      delete made.dataSources;
      undetermined.set(name, unknown);
    }
    desired.set(name, made);
  }
  const conflicts = findConflicts(desired, declared, (definition) => naturalKey(definition, index));
  for (const name of conflicts.keys()) desired.delete(name);
  // Of several outcomes, that of an object that is not valid goes first, then that of a conflict.
  for (const [name, { outcome }] of conflicts) if (declared.get(name)?.problem === undefined) held.set(name, outcome);
  for (const name of held.keys()) {
    const object = desired.get(name);
    if (object !== undefined) desired.set(name, withoutPassword(holdBack(object)));
  }
  return { declared, desired, held, conflicts, beginning, undetermined };
}

/** Why an object is held back by itself, if it is. */
function whyHeld({ object, definition, problem }: DeclaredObject, index: ReferenceIndex): Outcome | undefined {
  if (problem !== undefined) return invalid(problem);
  if (isDeleting(object)) return beingDeleted;
  const fault = definition.kind === 'Role' ? containedRoles(definition, index).fault : undefined;
  return fault && containment(fault);
}

/** Declarations of definitions that refer to no other one: one change must not make ten thousand of them anew. */
const desiredCache = new WeakMap<
  ObjectDefinition,
  { readonly id: string | undefined; readonly desired: DesiredObject }
>();

/** @param id as it was recorded; what the definition says itself goes before it */
function desiredOf(definition: ObjectDefinition, id: string | undefined, index: ReferenceIndex): DesiredObject {
  const cacheEntry = desiredCache.get(definition);
  if (cacheEntry !== undefined && cacheEntry.id === id) return cacheEntry.desired;
  const desired = toDesired(definition, index);
  if (id !== undefined) desired.id ??= id;
  if (definition.kind === 'Person' || definition.kind === 'DataSource') desiredCache.set(definition, { id, desired });
  return desired;
}

/** The engine compares passwords even where nothing is written: a password that cannot be read would fail the whole plan. */
function withoutPassword(object: DesiredObject): DesiredObject {
  if (object.kind !== 'DataSource') return object;
  const { password: _password, ...rest } = object;
  return rest;
}

/** Fills in what objects take from the clock or from elsewhere in the cluster, and holds those back for which it is missing. */
async function fillIn(objects: Iterable<readonly [string, DeclaredObject]>, informer: SecretsInformer, now: number) {
  const declared = new Map<string, DeclaredObject>();
  const held = new Map<string, Outcome>();
  const beginning = new Set<string>();
  const reading: Promise<void>[] = [];
  for (const [name, declaration] of objects) {
    const { definition, object } = declaration;
    declared.set(name, declaration);
    if (isTimed(definition)) {
      if (isForTheRecord(definition, object)) held.set(name, forTheRecord);
      else {
        if (isBeginning(definition, object)) beginning.add(name);
        declared.set(name, { ...declaration, definition: anchor(definition, object, now) });
      }
    } else if ('passwordFrom' in definition.spec || 'textFrom' in definition.spec) {
      const take = (result: ObjectDefinition | Outcome): void => {
        if ('ready' in result) held.set(name, result);
        else declared.set(name, { ...declaration, definition: result });
      };
      reading.push(readSource(definition, object.metadata.namespace, informer).then(take));
    }
  }
  await Promise.all(reading);
  return { declared, held, beginning };
}

/** @returns the definition with the text that it takes from a ConfigMap; an outcome where its text or password is missing */
async function readSource(
  definition: ObjectDefinition,
  namespace: string,
  informer: SecretsInformer,
): Promise<ObjectDefinition | Outcome> {
  if (definition.kind === 'DataSource' && definition.spec.passwordFrom !== undefined) {
    const { secretKeyRef } = definition.spec.passwordFrom;
    if (secretKeyRef === undefined) return onlyInCluster('passwordFrom', 'secretKeyRef');
    const reading = await readPassword(namespace, informer, secretKeyRef);
    return 'problem' in reading ? waiting('SecretNotFound', `spec.passwordFrom: ${reading.problem}`) : definition;
  }
  if (definition.kind !== 'Snippet' || definition.spec.textFrom === undefined) return definition;
  const { configMapKeyRef } = definition.spec.textFrom;
  if (configMapKeyRef === undefined) return onlyInCluster('textFrom', 'configMapKeyRef');
  const reading = await informer.read('configmaps', namespace, configMapKeyRef.name);
  const text = 'data' in reading ? reading.data[configMapKeyRef.key] : undefined;
  if (text !== undefined) return { ...definition, spec: { ...definition.spec, text } };
  const lacks = `the ConfigMap ${configMapKeyRef.name} lacks the key ${configMapKeyRef.key}`;
  return waiting('ConfigMapNotFound', `spec.textFrom: ${'problem' in reading ? reading.problem : lacks}`);
}

function onlyInCluster(field: string, source: string): Outcome {
  return stalled(
    'Unsupported',
    `spec.${field}: in a cluster only ${source} can be used; the operator reads no files and no variables for objects.`,
  );
}

/** Why a role keeps the data sources that it has: the operator does not know all that its selector, or the roles in it, give. */
function whyUnknown(
  role: DefinitionOf<'Role'>,
  index: ReferenceIndex,
  missing: ReconcileContext['missing'],
): string | undefined {
  if (missing.size === 0) return undefined;
  const { roles } = containedRoles(role, index);
  const isSelecting = [role, ...roles].some(({ spec }) => spec.dataSourceSelector !== undefined);
  const unknown =
    (isSelecting ? missing.get('DataSource') : undefined) ??
    (roles.length > 0 ? missing.get('RoleMembership') : undefined);
  return (
    unknown &&
    `Its data sources stay as they are, because the operator does not know all that it selects or contains: ${unknown}`
  );
}

const beingDeleted = waiting('Waiting', 'It is being deleted.');

/** Objects that declare what an older one declares. They write nothing, so that the two do not undo each other's work for ever. */
function findConflicts(
  desired: ReadonlyMap<string, DesiredObject>,
  declared: ReadonlyMap<string, DeclaredObject>,
  keyShown: (definition: ObjectDefinition) => string,
): Map<string, Conflict> {
  const conflicts = new Map<string, Conflict>();
  for (const twins of findTwins(desired.values())) {
    const [first, ...others] = twins.flatMap((twin) => declared.get(label(twin)) ?? []).sort(stayingAndOldestFirst);
    if (first === undefined) continue;
    const owner = labelOf(first.object);
    for (const { object, definition } of others) {
      const { kind } = definition;
      const desiredObject = desired.get(labelOf(object));
      if (desiredObject === undefined) continue;
      const message = `${owner} declares the same ${kind} (${keyShown(definition)}) and is older: delete one of the two.`;
      conflicts.set(labelOf(object), { owner, outcome: stalled('Conflict', message), desired: desiredObject });
    }
  }
  return conflicts;
}

function stayingAndOldestFirst({ object: first }: DeclaredObject, { object: other }: DeclaredObject): number {
  const [a, b] = [first.metadata, other.metadata];
  if (isDeleting(first) !== isDeleting(other)) return isDeleting(first) ? 1 : -1;
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp ? -1 : 1;
  return a.uid < b.uid ? -1 : 1;
}
