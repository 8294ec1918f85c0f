/** One look at one namespace: which object belongs to which Workspace, and then each Workspace by itself. */

import { createReferenceIndex, type Definition, type DefinitionOf, type ObjectDefinition } from '@rolecall/crds';
import { statusOf, type Verdict } from './conditions.ts';
import { type CustomObject, hasFinalizer, isLeaving } from './custom-object.ts';
import type { Member } from './desires.ts';
import { parseObject } from './parse.ts';
import type { Memory, PassContext } from './pass-context.ts';
import { sideBySide } from './side-by-side.ts';
import { stalled, waiting } from './verdicts.ts';
import { convergeWorkspace, type PassResult } from './workspace-pass.ts';

/** The annotation that lets a deleted object go although what it made could not be removed. */
export const releaseAnnotation = 'rolecall.dev/released';

/** What is remembered of each Workspace, by its uid. */
export type Memories = Map<string, Memory>;

/**
 * Looks at all objects of a namespace.
 *
 * @throws the first failure that may pass, once everything else was looked after
 */
export async function convergeNamespace(
  objects: readonly CustomObject[],
  memories: Memories,
  context: PassContext,
): Promise<Pick<PassResult, 'boundary'>> {
  const { writer, clock, concurrency } = context;
  const say = (object: CustomObject, verdict: Verdict): Promise<void> =>
    writer.writeStatus(object, statusOf(object, verdict, clock.now()));
  const sorted = sort(objects);
  const errors = await sideBySide(sorted.invalid, concurrency, ({ object, problem }) =>
    say(object, stalled('Invalid', problem)),
  );
  errors.push(...(await sideBySide(sorted.released, concurrency, (object) => writer.removeFinalizer(object))));
  errors.push(...(await sideBySide(sorted.homeless, concurrency, ({ object, verdict }) => say(object, verdict))));
  const boundaries: number[] = [];
  for (const { workspace, members } of sorted.workspaces) {
    try {
      const owned = await keepWorkspace(workspace, members, context);
      if (owned === undefined) continue;
      const memory = memories.get(owned.object.metadata.uid) ?? { refused: new Map() };
      memories.set(owned.object.metadata.uid, memory);
      const isWhole = sorted.invalid.length === 0 && !isLeaving(owned.object);
      const { transient, boundary } = await convergeWorkspace(owned, members, isWhole, memory, context);
      if (transient !== undefined) errors.push(transient);
      if (boundary !== undefined) boundaries.push(boundary);
    } catch (error) {
      errors.push(error instanceof Error ? error : new Error(String(error)));
    }
  }
  const [error] = errors;
  if (error !== undefined) throw error;
  return { boundary: boundaries.length === 0 ? undefined : Math.min(...boundaries) };
}

interface Workspace {
  readonly object: CustomObject;
  readonly definition: DefinitionOf<'Workspace'>;
}

/**
 * A Workspace stays until nothing has anything left in it: its address and key are what it takes to remove that.
 *
 * @returns undefined once it is gone
 */
async function keepWorkspace(
  { object, definition }: Workspace,
  members: readonly Member[],
  { writer }: PassContext,
): Promise<Workspace | undefined> {
  const isNeeded = members.some((member) => hasFinalizer(member.object));
  if (isLeaving(object) && !isNeeded) {
    await writer.removeFinalizer(object);
    return undefined;
  }
  if (isLeaving(object) || members.length === 0) return { object, definition };
  const kept = await writer.addFinalizer(object);
  return kept === undefined ? undefined : { object: kept, definition };
}

interface Sorted {
  readonly invalid: { object: CustomObject; problem: string }[];
  readonly released: CustomObject[];
  readonly homeless: { object: CustomObject; verdict: Verdict }[];
  readonly workspaces: { workspace: Workspace; members: Member[] }[];
}

function sort(objects: readonly CustomObject[]): Sorted {
  const sorted: Sorted = { invalid: [], released: [], homeless: [], workspaces: [] };
  const workspaces = new Map<Definition, { workspace: Workspace; members: Member[] }>();
  const members: Member[] = [];
  for (const object of objects) {
    if (isReleased(object)) {
      sorted.released.push(object);
      continue;
    }
    const parsed = parseObject(object);
    if ('problem' in parsed) sorted.invalid.push({ object, problem: parsed.problem });
    else if (parsed.definition.kind === 'Workspace') {
      const workspace = { object, definition: parsed.definition };
      workspaces.set(parsed.definition, { workspace, members: [] });
    } else members.push({ object, definition: parsed.definition });
  }
  const index = createReferenceIndex([...workspaces.keys(), ...members.map(({ definition }) => definition)]);
  for (const member of members) {
    const found = index.workspaceOf(member.definition);
    const home = found === undefined ? undefined : workspaces.get(found);
    if (home !== undefined) home.members.push(member);
    else if (isLeaving(member.object) && !hasFinalizer(member.object)) continue;
    else
      sorted.homeless.push({
        object: member.object,
        verdict: homeless(member.definition, [...workspaces.values()].length),
      });
  }
  sorted.workspaces.push(...workspaces.values());
  return sorted;
}

function isReleased(object: CustomObject): boolean {
  return isLeaving(object) && object.metadata.annotations?.[releaseAnnotation] === 'true';
}

function homeless({ spec: { workspaceRef } }: ObjectDefinition, count: number): Verdict {
  const release = ` Where the workspace is gone for good, the annotation ${releaseAnnotation}: "true" lets a deleted object go.`;
  if (workspaceRef !== undefined) {
    return waiting(
      'WorkspaceNotFound',
      `spec.workspaceRef: there is no Workspace ${workspaceRef} in this namespace.${release}`,
    );
  }
  return count === 0
    ? waiting('WorkspaceNotFound', `There is no Workspace in this namespace.${release}`)
    : stalled(
        'WorkspaceAmbiguous',
        `There are ${count} Workspaces in this namespace: say with spec.workspaceRef which one is meant.`,
      );
}
