/** What the objects of one workspace declare, as the engine takes it, and which of them cannot be converged now. */

import {
  createReferenceIndex,
  type Definition,
  type DefinitionOf,
  naturalKey,
  type ObjectDefinition,
} from '@rolecall/crds';
import { type DesiredObject, type DesiredState, desiredState, holdBack, label } from '@rolecall/reconcile';
import { type CustomObject, isDeleting, labelOf, recordedId } from '../resources/custom-object.ts';
import type { DeclaredObject } from '../resources/parse.ts';
import { readPassword } from '../resources/secrets.ts';
import type { SecretsInformer } from '../resources/secrets-informer.ts';
import type { Outcome } from '../status/conditions.ts';
import { forTheRecord, invalid, stalled, waiting } from '../status/outcomes.ts';
import { anchor, isBeginning, isForTheRecord } from '../status/permission-window.ts';

export interface GatheredState {
  /** The objects that were gathered, by label, with what they refer to filled in. */
  readonly declared: ReadonlyMap<string, DeclaredObject>;
  readonly state: DesiredState;
  /** Objects that cannot be converged now, with their outcome; the engine leaves what they declare as it is. */
  readonly held: ReadonlyMap<string, Outcome>;
  /** Objects that declare what another object declares. */
  readonly conflicts: ReadonlyMap<string, Conflict>;
  /** Permissions whose window would begin now if they were granted. */
  readonly beginning: ReadonlySet<string>;
  /** Whether every object is in the state: only then is what the state lacks undeclared. */
  readonly isComplete: boolean;
}

export interface Conflict {
  /** The label of the object that has it. */
  readonly owner: string;
  readonly outcome: Outcome;
}

/**
 * Turns the objects of a workspace into what the engine takes.
 *
 * @param objects in any order; of two that declare the same thing, the older one has it, and one that stays goes before one that is
 *   being deleted
 * @param now milliseconds since 1970
 */
export async function gatherState(
  workspace: DefinitionOf<'Workspace'>,
  objects: readonly DeclaredObject[],
  informer: SecretsInformer,
  now: number,
): Promise<GatheredState> {
  const held = new Map<string, Outcome>();
  const resolved = await Promise.all(
    objects.map(async (declared) => ({
      ...declared,
      definition: await resolve(declared.definition, declared.object, informer, held, now),
    })),
  );
  const declaring = resolved.filter(({ object, definition }) => !isRecord(definition, object));
  const definitions: Definition[] = [workspace, ...declaring.map(({ definition }) => definition)];
  const conflicts = findConflicts(declaring, definitions);
  for (const { object } of resolved) if (isDeleting(object)) held.set(labelOf(object), beingDeleted);
  for (const [name, { outcome }] of conflicts) held.set(name, outcome);
  for (const { object, problem } of resolved) if (problem !== undefined) held.set(labelOf(object), invalid(problem));
  const kept = declaring.filter(({ object }) => !conflicts.has(labelOf(object)));
  const { state, errors } = desiredState([workspace, ...kept.map(({ definition }) => definition)], workspace);
  for (const { definition, message, remedy } of errors) {
    held.set(`${definition.kind}/${definition.metadata.name}`, stalled('Invalid', `It ${message}. ${remedy}`));
  }
  const byLabel = new Map(resolved.map((declared) => [labelOf(declared.object), declared]));
  const desired = state.objects.map((object) => withRecord(object, byLabel.get(label(object)), held, workspace));
  const beginning = new Set(objects.filter(begins).map(({ object }) => labelOf(object)));
  const isComplete = errors.length === 0;
  return { declared: byLabel, state: { ...state, objects: desired }, held, conflicts, beginning, isComplete };
}

/** Adds the id that the status records, and holds the object back where it has to wait. */
function withRecord(
  object: DesiredObject,
  declared: DeclaredObject | undefined,
  held: ReadonlyMap<string, Outcome>,
  { spec: { url } }: DefinitionOf<'Workspace'>,
): DesiredObject {
  const id = declared && recordedId(declared.object, url);
  const known = id === undefined ? object : { ...object, id };
  if (!held.has(label(object))) return known;
  if (known.kind !== 'DataSource') return holdBack(known);
  // The engine compares passwords even where nothing is written: a password that cannot be read would fail the whole plan.
  const { password: _password, ...rest } = known;
  return holdBack(rest);
}

/** Fills in what an object takes from elsewhere in the cluster, and holds it back where that is missing. */
async function resolve(
  definition: ObjectDefinition,
  object: CustomObject,
  informer: SecretsInformer,
  held: Map<string, Outcome>,
  now: number,
): Promise<ObjectDefinition> {
  const hold = (outcome: Outcome): void => void held.set(labelOf(object), outcome);
  const { namespace } = object.metadata;
  if (isRecord(definition, object)) hold(forTheRecord);
  else if (definition.kind === 'Permission') return anchor(definition, object, now);
  if (definition.kind === 'DataSource' && definition.spec.passwordFrom !== undefined) {
    const { secretKeyRef } = definition.spec.passwordFrom;
    if (secretKeyRef === undefined) hold(onlyInCluster('passwordFrom', 'secretKeyRef'));
    else {
      const found = await readPassword(namespace, informer, secretKeyRef);
      if ('problem' in found) hold(waiting('SecretNotFound', `spec.passwordFrom: ${found.problem}`));
    }
  }
  if (definition.kind !== 'Snippet' || definition.spec.textFrom === undefined) return definition;
  const { configMapKeyRef } = definition.spec.textFrom;
  if (configMapKeyRef === undefined) {
    hold(onlyInCluster('textFrom', 'configMapKeyRef'));
    return definition;
  }
  const found = await informer.read('configmaps', namespace, configMapKeyRef.name);
  const text = 'data' in found ? found.data[configMapKeyRef.key] : undefined;
  if (text !== undefined) return { ...definition, spec: { ...definition.spec, text } };
  const lacks = `the ConfigMap ${configMapKeyRef.name} lacks the key ${configMapKeyRef.key}`;
  hold(waiting('ConfigMapNotFound', `spec.textFrom: ${'problem' in found ? found.problem : lacks}`));
  return definition;
}

function onlyInCluster(field: string, source: string): Outcome {
  return stalled(
    'Unsupported',
    `spec.${field}: in a cluster only ${source} can be used; the operator reads no files and no variables for objects.`,
  );
}

/** Whether an object is kept for the record only, and declares nothing. */
const isRecord = (definition: ObjectDefinition, object: CustomObject): boolean =>
  definition.kind === 'Permission' && isForTheRecord(definition, object);

const begins = ({ definition, object }: DeclaredObject): boolean =>
  definition.kind === 'Permission' && isBeginning(definition, object) && !isForTheRecord(definition, object);

const beingDeleted = waiting('Waiting', 'It is being deleted.');

/** Objects that declare what an older one declares. They write nothing, so that the two do not undo each other's work for ever. */
function findConflicts(objects: readonly DeclaredObject[], definitions: readonly Definition[]): Map<string, Conflict> {
  const index = createReferenceIndex(definitions);
  const owners = new Map<string, CustomObject>();
  const conflicts = new Map<string, Conflict>();
  for (const { object, definition } of [...objects].sort(stayingAndOldestFirst)) {
    const key = naturalKey(definition, index);
    const claim = `${definition.kind} ${definition.kind === 'Person' ? key.toLowerCase() : key}`;
    const owner = owners.get(claim);
    if (owner === undefined) owners.set(claim, object);
    else {
      const message = `${labelOf(owner)} declares the same ${definition.kind} (${key}) and is older: delete one of the two.`;
      conflicts.set(labelOf(object), { owner: labelOf(owner), outcome: stalled('Conflict', message) });
    }
  }
  return conflicts;
}

function stayingAndOldestFirst({ object: one }: DeclaredObject, { object: other }: DeclaredObject): number {
  const [a, b] = [one.metadata, other.metadata];
  if (isDeleting(one) !== isDeleting(other)) return isDeleting(one) ? 1 : -1;
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp ? -1 : 1;
  return a.uid < b.uid ? -1 : 1;
}
