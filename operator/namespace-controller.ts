/** The objects of one namespace: which of them belongs to which Workspace, and what is to be said of those that do not. */

import { createWorkspaceIndex, type Definition } from '@rolecall/crds';
import { type CustomObject, hasFinalizer, isLeaving, isObserved, labelOf } from './resources/custom-object.ts';
import { carryParsed, carryReadable, lastReadable, parseObject } from './resources/parse.ts';
import type { CacheChange } from './runtime/cache.ts';
import { StatusError } from './runtime/errors.ts';
import { createWorkQueue, type Priority } from './runtime/work-queue.ts';
import { runWorkers } from './runtime/workers.ts';
import { statusOf, type Verdict } from './status/conditions.ts';
import { invalid, isHomeless, releaseAnnotation, stalled, toWhoever, waiting } from './status/outcomes.ts';
import type { Member } from './workspace/object-index.ts';
import type { WorkspaceObject } from './workspace/reconcile.ts';
import { type NamespaceOptions, startWorkspaceLoop, type WorkspaceLoop } from './workspace-controller.ts';

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
type Place =
  | { readonly home: string; readonly member: Member }
  | { readonly verdict: Verdict }
  | { readonly released: true }
  | undefined;

/** Starts to look after a namespace. */
export function startNamespace(options: NamespaceOptions): Namespace {
  const { context, random, onFailure, current } = options;
  const { clock, writer, signal } = context;
  const loops = new Map<string, { workspace: WorkspaceObject; loop: WorkspaceLoop }>();
  const ends = new Set<Promise<void>>();
  const homes = new Map<string, string>();
  const members = new Map<string, CustomObject>();
  /** Objects that are not valid. */
  const unreadable = new Set<string>();
  /** Workspaces that are there and cannot be read: whose they may be is nobody else's meanwhile. */
  const broken = new Set<string>();
  /** Objects that are no Workspace's, and of which something is to be said. */
  const queue = createWorkQueue({ clock, random, ...retries });
  signal.addEventListener('abort', queue.close, { once: true });
  if (signal.aborted) queue.close();

  function placeOf(object: CustomObject): Place {
    if (isLeaving(object) && object.metadata.annotations?.[releaseAnnotation] === 'true') return { released: true };
    const parsed = parseObject(object);
    const definition = lastReadable(object);
    const problem = 'problem' in parsed ? parsed.problem : undefined;
    const wrong = problem === undefined ? undefined : { verdict: invalid(problem) };
    if (definition === undefined || definition.kind === 'Workspace') return wrong;
    const workspaces = [...loops.values()].map(({ workspace }) => workspace);
    const definitions: Definition[] = workspaces.map(({ definition }) => definition);
    const found = createWorkspaceIndex(definitions).workspaceOf(definition);
    const home = workspaces.find((one) => one.definition === found);
    const { workspaceRef } = definition.spec;
    if (home !== undefined && (workspaceRef !== undefined || broken.size === 0))
      return { home: labelOf(home.object), member: { object, definition, problem } };
    if (wrong !== undefined) return wrong;
    if (isLeaving(object) && !hasFinalizer(object)) return undefined;
    const maybe = [...broken].find((label) => workspaceRef === undefined || label === `Workspace/${workspaceRef}`);
    return { verdict: maybe === undefined ? homeless(object, workspaceRef, workspaces.length) : notReadable(maybe) };
  }

  /** Puts an object where it belongs. */
  function place(object: CustomObject, priority: Priority | undefined): void {
    const label = labelOf(object);
    const there = placeOf(object);
    const { home, member } = there !== undefined && 'home' in there ? there : {};
    const before = homes.get(label);
    if (before !== undefined && before !== home) loops.get(before)?.loop.remove(label);
    if (home === undefined) homes.delete(label);
    else homes.set(label, home);
    setInvalid(label, 'problem' in parseObject(object) && !isReleased(there));
    if (home === undefined || member === undefined) {
      if (there !== undefined && priority !== undefined) queue.add(label, priority);
      return;
    }
    loops.get(home)?.loop.put(member, before === home ? priority : (priority ?? 'fresh'));
  }

  function setInvalid(label: string, isInvalid: boolean): void {
    const before = unreadable.size;
    if (isInvalid) unreadable.add(label);
    else unreadable.delete(label);
    if (before === unreadable.size) return;
    for (const { loop } of loops.values()) loop.setUnreadable(unreadable);
  }

  /** Whether objects that had a Workspace, and name none, have none now: they may be of any that was there. */
  function hasStrays(): boolean {
    return [...members].some(([label, object]) => {
      const parsed = parseObject(object);
      const isUnnamed = 'definition' in parsed && refOf(parsed.definition) === undefined;
      return isUnnamed && !homes.has(label) && hasFinalizer(object);
    });
  }

  function workspaceChanged(object: CustomObject | undefined, label: string, priority: Priority): void {
    const known = loops.get(label);
    const parsed = object === undefined ? undefined : parseObject(object);
    const isReleasedNow = object !== undefined && isReleased(placeOf(object));
    if (object !== undefined && parsed !== undefined && 'definition' in parsed && !isReleasedNow) {
      if (parsed.definition.kind !== 'Workspace') return;
      const workspace = { object, definition: parsed.definition };
      broken.delete(label);
      if (known !== undefined && known.workspace.object.metadata.uid === object.metadata.uid) {
        known.loop.update(workspace);
        loops.set(label, { ...known, workspace });
        return;
      }
      known?.loop.end();
      const loop = startWorkspaceLoop(workspace, { ...options, hasStrays });
      loop.setUnreadable(unreadable);
      ends.add(loop.ended);
      loops.set(label, { workspace, loop });
    } else {
      known?.loop.end();
      loops.delete(label);
      if (object === undefined || isReleasedNow) broken.delete(label);
      else broken.add(label);
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
    else if (there.verdict.reason !== 'WorkspaceNotReady' || !isTold(object))
      await writer.writeStatus(object, statusOf(object, there.verdict, clock.now()));
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
      if (before !== undefined && after !== undefined) {
        if (!isNews) carryParsed(before, after);
        carryReadable(before, after);
      }
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
      // A Workspace that is being deleted may have waited for it, as it might have been its own.
      else for (const { workspace, loop } of loops.values()) if (isLeaving(workspace.object)) loop.lookAgain();
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

const refOf = (definition: Definition): string | undefined =>
  definition.kind === 'Workspace' ? undefined : definition.spec.workspaceRef;

/** Whether something was said of it that a Workspace which cannot be used for a while is no reason to overwrite. */
const isTold = (object: CustomObject): boolean => isObserved(object) && !isHomeless(object) && !isLeaving(object);

function notReadable(workspace: string): Verdict {
  return waiting(
    'WorkspaceNotReady',
    `${workspace} is not valid, and its own status says why: it goes on once that is mended.`,
  );
}

function homeless(object: CustomObject, workspaceRef: string | undefined, count: number): Verdict {
  if (workspaceRef !== undefined || count === 0) {
    const which =
      workspaceRef === undefined ? 'There is no Workspace' : `spec.workspaceRef: there is no Workspace ${workspaceRef}`;
    return waiting('WorkspaceNotFound', toWhoever(object, `${which} in this namespace.`));
  }
  const remedy = hasFinalizer(object)
    ? 'It belongs to the one that was there first: delete the Workspace that was added, or move that into a namespace of its own.'
    : 'Delete this object, and create it again with spec.workspaceRef, which says which one is meant.';
  return stalled('WorkspaceAmbiguous', toWhoever(object, `There are ${count} Workspaces in this namespace. ${remedy}`));
}
