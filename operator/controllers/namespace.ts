/** The objects of one namespace: which of them belongs to which Workspace, and what is to be said of those that do not. */

import { createWorkspaceIndex, type Definition, type ObjectDefinition } from '@rolecall/crds';
import type { CacheChange } from '../runtime/cache.ts';
import { StatusError } from '../runtime/errors.ts';
import { createWorkQueue, type Priority } from '../runtime/work-queue.ts';
import { runWorkers } from '../runtime/workers.ts';
import { statusOf, type Verdict } from './conditions.ts';
import { type CustomObject, hasFinalizer, isLeaving, labelOf } from './custom-object.ts';
import type { WorkspaceObject } from './look.ts';
import { carryParsed, parseObject } from './parse.ts';
import { howToRelease, releaseAnnotation, stalled, waiting } from './verdicts.ts';
import { startWorkspaceLoop, type WorkspaceLoop, type WorkspaceLoopOptions } from './workspace-loop.ts';

export interface Namespace {
  /** @param priority of a change that is work */
  readonly changed: (change: CacheChange<CustomObject>, priority: Priority) => void;
  readonly sourceChanged: WorkspaceLoop['sourceChanged'];
  readonly lookAgain: () => void;
  /** Resolves once nothing is under way any more, after the signal was aborted. */
  readonly ended: Promise<unknown>;
}

const retries = { baseMs: 500, maxMs: 10_000 };

/** Where an object belongs: to a Workspace, or to nobody, with what is to be said of it. */
type Place = { readonly home: string } | { readonly verdict: Verdict } | { readonly released: true } | undefined;

/** Starts to look after a namespace. */
export function startNamespace(options: WorkspaceLoopOptions): Namespace {
  const { context, random, onFailure, current } = options;
  const { clock, writer, signal } = context;
  const loops = new Map<string, { workspace: WorkspaceObject; loop: WorkspaceLoop }>();
  const ends = new Set<Promise<void>>();
  const homes = new Map<string, string>();
  const members = new Map<string, CustomObject>();
  const invalid = new Set<string>();
  /** Objects that are no Workspace's, and of which something is to be said. */
  const queue = createWorkQueue({ clock, random, ...retries });
  signal.addEventListener('abort', queue.close, { once: true });
  if (signal.aborted) queue.close();

  function placeOf(object: CustomObject): Place {
    if (isLeaving(object) && object.metadata.annotations?.[releaseAnnotation] === 'true') return { released: true };
    const parsed = parseObject(object);
    if ('problem' in parsed) return { verdict: stalled('Invalid', parsed.problem) };
    if (parsed.definition.kind === 'Workspace') return undefined;
    const workspaces = [...loops.values()].map(({ workspace }) => workspace);
    const definitions: Definition[] = workspaces.map(({ definition }) => definition);
    const found = createWorkspaceIndex(definitions).workspaceOf(parsed.definition);
    const home = workspaces.find(({ definition }) => definition === found);
    if (home !== undefined) return { home: labelOf(home.object) };
    if (isLeaving(object) && !hasFinalizer(object)) return undefined;
    return { verdict: homeless(parsed.definition, workspaces.length) };
  }

  /** Puts an object where it belongs. */
  function place(object: CustomObject, priority: Priority | undefined): void {
    const label = labelOf(object);
    const there = placeOf(object);
    const home = there !== undefined && 'home' in there ? there.home : undefined;
    const before = homes.get(label);
    if (before !== undefined && before !== home) loops.get(before)?.loop.remove(label);
    if (home === undefined) homes.delete(label);
    else homes.set(label, home);
    setInvalid(label, 'problem' in parseObject(object) && !isReleased(there));
    if (home === undefined) {
      if (there !== undefined && priority !== undefined) queue.add(label, priority);
      return;
    }
    const { definition } = parseObject(object) as { definition: ObjectDefinition };
    loops.get(home)?.loop.put({ object, definition }, before === home ? priority : (priority ?? 'fresh'));
  }

  function setInvalid(label: string, isInvalid: boolean): void {
    const before = invalid.size;
    if (isInvalid) invalid.add(label);
    else invalid.delete(label);
    if (before === invalid.size) return;
    for (const { loop } of loops.values()) loop.setComplete(invalid.size === 0);
  }

  function workspaceChanged(object: CustomObject | undefined, label: string, priority: Priority): void {
    const known = loops.get(label);
    const parsed = object === undefined ? undefined : parseObject(object);
    const isReleasedNow = object !== undefined && isReleased(placeOf(object));
    if (object !== undefined && parsed !== undefined && 'definition' in parsed && !isReleasedNow) {
      if (parsed.definition.kind !== 'Workspace') return;
      const workspace = { object, definition: parsed.definition };
      if (known !== undefined && known.workspace.object.metadata.uid === object.metadata.uid) {
        known.loop.update(workspace);
        loops.set(label, { ...known, workspace });
        return;
      }
      known?.loop.end();
      const loop = startWorkspaceLoop(workspace, options);
      loop.setComplete(invalid.size === 0);
      ends.add(loop.ended);
      loops.set(label, { workspace, loop });
    } else {
      known?.loop.end();
      loops.delete(label);
      if (object !== undefined) queue.add(label);
    }
    // Whose they are has to be found anew, and what a new Workspace has is not known.
    for (const [name, member] of members) {
      if (homes.get(name) === label) homes.delete(name);
      place(member, priority);
    }
  }

  async function work(label: string): Promise<void> {
    const object = current(label);
    if (object === undefined || signal.aborted) return;
    const there = placeOf(object);
    if (there === undefined || 'home' in there) return;
    if ('released' in there) await writer.removeFinalizer(object);
    else await writer.writeStatus(object, statusOf(object, there.verdict, clock.now()));
  }

  const working = runWorkers({
    queue,
    count: 4,
    work,
    onFailure: (_label, error, retryInMs) => {
      if (!signal.aborted) onFailure(error, retryInMs);
    },
    atLeast: (error) => (error instanceof StatusError ? (error.retryAfterMs ?? 0) : 0),
  });

  return {
    changed: ({ before, after }, priority) => {
      const object = after ?? before;
      if (object === undefined) return;
      const label = labelOf(object);
      const isNews = isWork({ key: label, before, after });
      if (!isNews && before !== undefined && after !== undefined) carryParsed(before, after);
      if (object.kind === 'Workspace') {
        workspaceChanged(after, label, priority);
        return;
      }
      if (after !== undefined) {
        members.set(label, after);
        place(after, isNews ? priority : undefined);
        return;
      }
      members.delete(label);
      setInvalid(label, false);
      const home = homes.get(label);
      homes.delete(label);
      if (home !== undefined) loops.get(home)?.loop.remove(label);
    },
    sourceChanged: (kind, name) => {
      for (const { loop } of loops.values()) loop.sourceChanged(kind, name);
    },
    lookAgain: () => {
      for (const { loop } of loops.values()) loop.lookAgain();
    },
    get ended() {
      return Promise.all([working, ...ends]);
    },
  };
}

const isReleased = (place: Place): boolean => place !== undefined && 'released' in place;

/** A status that was written is no reason to look again; a wish that changed is. */
function isWork({ before, after }: CacheChange<CustomObject>): boolean {
  if (before === undefined || after === undefined) return true;
  const [a, b] = [before.metadata, after.metadata];
  return (
    a.generation !== b.generation ||
    a.deletionTimestamp !== b.deletionTimestamp ||
    JSON.stringify(a.annotations) !== JSON.stringify(b.annotations)
  );
}

function homeless({ spec: { workspaceRef } }: ObjectDefinition, count: number): Verdict {
  if (workspaceRef !== undefined) {
    return waiting(
      'WorkspaceNotFound',
      `spec.workspaceRef: there is no Workspace ${workspaceRef} in this namespace. ${howToRelease}`,
    );
  }
  return count === 0
    ? waiting('WorkspaceNotFound', `There is no Workspace in this namespace. ${howToRelease}`)
    : stalled(
        'WorkspaceAmbiguous',
        `There are ${count} Workspaces in this namespace: say with spec.workspaceRef which one is meant.`,
      );
}
