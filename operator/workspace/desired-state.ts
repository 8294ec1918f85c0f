/** What the objects of one workspace want, as the engine takes it, and what keeps some of them from being taken. */

import {
  createReferenceIndex,
  type Definition,
  type DefinitionOf,
  naturalKey,
  type ObjectDefinition,
} from '@rolecall/crds';
import { type DesiredObject, type DesiredState, desiredState, holdBack, label } from '@rolecall/reconcile';
import { type CustomObject, isLeaving, labelOf } from '../resources/custom-object.ts';
import { recordedId } from '../resources/recorded-id.ts';
import { readPassword } from '../resources/secrets.ts';
import type { NamedObjects } from '../resources/secrets-informer.ts';
import type { Verdict } from '../status/conditions.ts';
import { forTheRecord, invalid, stalled, waiting } from '../status/outcomes.ts';
import { anchor, isBeginning, isForTheRecord } from '../status/permission-window.ts';
import type { Member } from './object-index.ts';

export interface Desires {
  readonly members: ReadonlyMap<string, Member>;
  readonly state: DesiredState;
  /** Objects that cannot be converged now, and what to say of them; the engine leaves them as they are. */
  readonly held: ReadonlyMap<string, Verdict>;
  /** Objects that claim what another one has. */
  readonly conflicts: ReadonlyMap<string, Conflict>;
  /** Permissions that would begin now if they were granted, as nobody was granted them before. */
  readonly beginning: ReadonlySet<string>;
  /** Whether every object is in the state: only then does what is missing there mean that nobody declares it. */
  readonly isComplete: boolean;
}

export interface Conflict {
  /** Who has it. */
  readonly owner: string;
  readonly verdict: Verdict;
}

/**
 * Puts the objects of a workspace together.
 *
 * @param members in any order; of two that claim the same thing in the workspace, the older one has it, and one that stays
 *   before one that is being deleted, which is left as it is here: its end is no matter of what is declared
 * @param now milliseconds since 1970
 */
export async function gatherDesires(
  workspace: DefinitionOf<'Workspace'>,
  members: readonly Member[],
  named: NamedObjects,
  now: number,
): Promise<Desires> {
  const held = new Map<string, Verdict>();
  const resolved = await Promise.all(
    members.map(async (member) => ({
      ...member,
      definition: await resolve(member.definition, member.object, named, held, now),
    })),
  );
  const declaring = resolved.filter(({ object, definition }) => !isRecord(definition, object));
  const definitions: Definition[] = [workspace, ...declaring.map(({ definition }) => definition)];
  const conflicts = findConflicts(declaring, definitions);
  for (const { object } of resolved) if (isLeaving(object)) held.set(labelOf(object), leaving);
  for (const [name, { verdict }] of conflicts) held.set(name, verdict);
  for (const { object, problem } of resolved) if (problem !== undefined) held.set(labelOf(object), invalid(problem));
  const kept = declaring.filter(({ object }) => !conflicts.has(labelOf(object)));
  const { state, errors } = desiredState([workspace, ...kept.map(({ definition }) => definition)], workspace);
  for (const { definition, message, remedy } of errors) {
    held.set(`${definition.kind}/${definition.metadata.name}`, stalled('Invalid', `It ${message}. ${remedy}`));
  }
  const byLabel = new Map(resolved.map((member) => [labelOf(member.object), member]));
  const objects = state.objects.map((object) => withRecord(object, byLabel.get(label(object)), held, workspace));
  const beginning = new Set(members.filter(begins).map(({ object }) => labelOf(object)));
  const isComplete = errors.length === 0;
  return { members: byLabel, state: { ...state, objects }, held, conflicts, beginning, isComplete };
}

/** The id that was recorded for this very object, and whether it has to wait. */
function withRecord(
  object: DesiredObject,
  member: Member | undefined,
  held: ReadonlyMap<string, Verdict>,
  { spec: { url } }: DefinitionOf<'Workspace'>,
): DesiredObject {
  const id = member && recordedId(member.object, url);
  const known = id === undefined ? object : { ...object, id };
  if (!held.has(label(object))) return known;
  if (known.kind !== 'DataSource') return holdBack(known);
  // The engine compares passwords even where nothing is written: one that is not to be had would fail the whole plan.
  const { password: _password, ...rest } = known;
  return holdBack(rest);
}

/** Fills in what an object refers to outside of the workspace, and holds back those whose source is not to be had. */
async function resolve(
  definition: ObjectDefinition,
  object: CustomObject,
  named: NamedObjects,
  held: Map<string, Verdict>,
  now: number,
): Promise<ObjectDefinition> {
  const hold = (verdict: Verdict): void => void held.set(labelOf(object), verdict);
  const { namespace } = object.metadata;
  if (isRecord(definition, object)) hold(forTheRecord);
  else if (definition.kind === 'Permission') return anchor(definition, object, now);
  if (definition.kind === 'DataSource' && definition.spec.passwordFrom !== undefined) {
    const { secretKeyRef } = definition.spec.passwordFrom;
    if (secretKeyRef === undefined) hold(onlyInCluster('passwordFrom', 'secretKeyRef'));
    else {
      const found = await readPassword(namespace, named, secretKeyRef);
      if ('problem' in found) hold(waiting('SecretNotFound', `spec.passwordFrom: ${found.problem}`));
    }
  }
  if (definition.kind !== 'Snippet' || definition.spec.textFrom === undefined) return definition;
  const { configMapKeyRef } = definition.spec.textFrom;
  if (configMapKeyRef === undefined) {
    hold(onlyInCluster('textFrom', 'configMapKeyRef'));
    return definition;
  }
  const found = await named.read('configmaps', namespace, configMapKeyRef.name);
  const text = 'data' in found ? found.data[configMapKeyRef.key] : undefined;
  if (text !== undefined) return { ...definition, spec: { ...definition.spec, text } };
  const lacks = `the ConfigMap ${configMapKeyRef.name} lacks the key ${configMapKeyRef.key}`;
  hold(waiting('ConfigMapNotFound', `spec.textFrom: ${'problem' in found ? found.problem : lacks}`));
  return definition;
}

function onlyInCluster(field: string, source: string): Verdict {
  return stalled(
    'Unsupported',
    `spec.${field}: in a cluster only ${source} can be used; the operator reads no files and variables for others.`,
  );
}

/** Declares nothing: whatever is in the workspace is no matter of it. */
const isRecord = (definition: ObjectDefinition, object: CustomObject): boolean =>
  definition.kind === 'Permission' && isForTheRecord(definition, object);

const begins = ({ definition, object }: Member): boolean =>
  definition.kind === 'Permission' && isBeginning(definition, object) && !isForTheRecord(definition, object);

const leaving = waiting('Waiting', 'It is being deleted.');

/** Objects that claim what an older one has. They write nothing, so that the two do not undo each other's work for ever. */
function findConflicts(members: readonly Member[], definitions: readonly Definition[]): Map<string, Conflict> {
  const index = createReferenceIndex(definitions);
  const owners = new Map<string, CustomObject>();
  const conflicts = new Map<string, Conflict>();
  for (const { object, definition } of [...members].sort(stayingAndOldestFirst)) {
    const key = naturalKey(definition, index);
    const claim = `${definition.kind} ${definition.kind === 'Person' ? key.toLowerCase() : key}`;
    const owner = owners.get(claim);
    if (owner === undefined) owners.set(claim, object);
    else {
      const message = `${labelOf(owner)} declares the same ${definition.kind} (${key}) and is older: delete one of the two.`;
      conflicts.set(labelOf(object), { owner: labelOf(owner), verdict: stalled('Conflict', message) });
    }
  }
  return conflicts;
}

function stayingAndOldestFirst({ object: one }: Member, { object: other }: Member): number {
  const [a, b] = [one.metadata, other.metadata];
  if (isLeaving(one) !== isLeaving(other)) return isLeaving(one) ? 1 : -1;
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp ? -1 : 1;
  return a.uid < b.uid ? -1 : 1;
}
