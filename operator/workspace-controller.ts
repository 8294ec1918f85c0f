/**
 * Looks after one workspace: which of its objects have to be looked at, in parts small enough that what is new never waits
 * for long, one part after the other.
 */

import { setImmediate as breathe } from 'node:timers/promises';
import { createArrivals } from './event-handler.ts';
import { asSeen, type CustomObject, isLeaving, isRequested, labelOf } from './resources/custom-object.ts';
import { sleep } from './runtime/clock.ts';
import { named } from './runtime/queue-observer.ts';
import { createWorkQueue, type Priority } from './runtime/work-queue.ts';
import { isReady, statusOf, type Verdict } from './status/conditions.ts';
import { isOfKubernetes, isShutOut, messageOf } from './status/outcomes.ts';
import { createTelling } from './status/status-manager.ts';
import { createRecovery } from './workspace/backoff.ts';
import type { Memory, PassContext } from './workspace/context.ts';
import { createMembers, type Member } from './workspace/object-index.ts';
import { createLook, isExact, type WorkspaceObject } from './workspace/reconcile.ts';

export interface WorkspaceLoop {
  /** Takes the Workspace itself as it is now. */
  readonly update: (workspace: WorkspaceObject) => void;
  /** Takes an object as it is now; where a priority is given, it is looked at. */
  readonly put: (member: Member, priority: Priority | undefined) => void;
  readonly remove: (label: string) => void;
  /** A Secret or ConfigMap is another one. */
  readonly sourceChanged: (kind: 'secrets' | 'configmaps', name: string) => void;
  /** Reads the workspace anew, and compares everything with it where anything may be other than it was. */
  readonly lookAgain: () => void;
  /** The objects of the namespace, by label, that are not valid and might be of this workspace. */
  readonly setUnreadable: (labels: ReadonlySet<string>) => void;
  /** Ends it: what is under way is finished. */
  readonly end: () => void;
  /** Resolves once nothing is under way any more. */
  readonly ended: Promise<void>;
}

/** What all the workspaces of a namespace are looked after with. */
export interface NamespaceOptions {
  readonly context: PassContext;
  readonly random: () => number;
  /** Told of what goes wrong and is tried again. */
  readonly onFailure: (error: Error, retryInMs: number) => void;
  /** The object as it is known now, by its label. */
  readonly current: (label: string) => CustomObject | undefined;
}

export interface WorkspaceLoopOptions extends NamespaceOptions {
  /** Whether there are objects that might be of this Workspace, and cannot be told to be. */
  readonly hasStrays: () => boolean;
}

/** How many objects are looked at together, unless what they take away makes it more: what is new waits for no more. */
export const partSize = 128;
/** How long changes are gathered, so that what is applied together is planned together. */
const gatherMs = 10;
/** How long until what is held back is looked at again, once something was written. */
const recheckMs = 1_000;

const retries = { baseMs: 500, maxMs: 10_000 };

/** Starts to look after a workspace. */
export function startWorkspaceLoop(first: WorkspaceObject, options: WorkspaceLoopOptions): WorkspaceLoop {
  const { context, random, onFailure, current, hasStrays } = options;
  const { clock, writer } = context;
  let workspace = first;
  let unreadable: ReadonlySet<string> = new Set();
  const { namespace } = first.object.metadata;
  const self = labelOf(first.object);
  const members = createMembers();
  const memory: Memory = { refused: new Map(), lastMembers: new Set(), renewed: new Set(), touched: new Set() };
  const observer = context.metrics && named(`${namespace}/${self} `, context.metrics.queue);
  const queue = createWorkQueue({ clock, random, observer, ...retries });
  const telling = createTelling({
    ...{ context, members, queue, current, onFailure },
    workspace: () => workspace.definition,
    onRecovered: recheckHeld,
  });
  const { open, failing, writes } = telling;
  const arrivals = createArrivals({ members, memory, queue, telling });
  const over = new AbortController();
  const isOver = AbortSignal.any([context.signal, over.signal]);
  let recheck: Disposable | undefined;
  /** How often all of it had to be looked at anew. */
  let rounds = 0;

  const say = (verdict: Verdict, seen: CustomObject): Promise<void> => {
    const object = asSeen(workspace.object, seen);
    return writer.writeStatus(object, statusOf(object, verdict, clock.now()));
  };
  const recovery = createRecovery({
    ...{ context, memory, queue, isOver, onFailure },
    say: (verdict) => say(verdict, workspace.object),
    backoff: { ...retries, random },
    workspace: () => workspace,
  });
  const look = createLook({
    subject: () => ({ ...workspace, unreadable }),
    ...{ context, members, memory, queue, telling, isOver, say, hasStrays },
    onRun: recheckHeld,
    onOther: () => {
      addMembers('periodic');
    },
  });

  /** Whoever waits for something that is not in the way of its own steps is looked at again once something was done. */
  function recheckHeld(): void {
    if (recheck !== undefined || isOver.aborted) return;
    recheck = clock.after(recheckMs, () => {
      recheck = undefined;
      for (const label of open) if (!failing.has(label)) queue.add(label, 'periodic');
    });
  }

  async function run(): Promise<void> {
    for (let key = await queue.next(); key !== undefined; key = await queue.next()) {
      const hands = new Set([key]);
      const work = (): Promise<void> => look(hands);
      const timed = context.metrics?.timed(work) ?? work;
      if (queue.length() < partSize) await sleep(clock, gatherMs, isOver);
      for (const label of queue.take(partSize - 1)) hands.add(label);
      while (writes.size > 2 * partSize) await Promise.race(writes.values());
      const before = rounds;
      try {
        await timed(self);
        recovery.reached();
        for (const label of hands) telling.finish(label);
        // A look that asks nobody anything never waits: without this, ten thousand objects would keep all else from being heard.
        await breathe();
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        putBack(hands, error);
        if (isOver.aborted) break;
        await recovery.recover(error);
      }
      // The look saw the Workspace as it was, and may have taken along what waited for a look at it as it is.
      if (rounds !== before) addSelfAndMembers('periodic');
    }
    await Promise.all(writes.values());
    telling[Symbol.dispose]();
    recheck?.[Symbol.dispose]();
  }

  /** What was in hand when a look failed is looked at again, now or with the next look for drift. */
  function putBack(hands: Set<string>, error: Error): void {
    const isRefused = isShutOut(error);
    if (isRefused) for (const label of queue.take(members.size())) hands.add(label);
    for (const label of hands) {
      if (isRefused) open.add(label);
      else if (label === self || members.get(label)) queue.add(label, open.has(label) ? 'fresh' : 'periodic');
    }
    if (isRefused) open.delete(self);
    if (!isOver.aborted && !isOfKubernetes(error)) {
      telling.sayNotReady(hands, `The Workspace ${workspace.object.metadata.name} cannot be used: ${messageOf(error)}`);
    }
    for (const label of hands) queue.done(label);
  }

  function addAll(priority: Priority): void {
    rounds += 1;
    addSelfAndMembers(priority);
    recovery.endWait();
  }

  function addSelfAndMembers(priority: Priority): void {
    queue.add(self);
    addMembers(priority);
  }

  function addMembers(priority: Priority): void {
    for (const label of members.labels()) queue.add(label, priority);
  }

  context.signal.addEventListener('abort', queue.close, { once: true });
  if (context.signal.aborted) queue.close();
  const ended = run();
  queue.add(self);

  return {
    update: (next) => {
      const isNew = next.definition !== workspace.definition || isLeaving(next.object) !== isLeaving(workspace.object);
      workspace = next;
      if (isRequested(next.object)) memory.isStale ??= 'drift';
      if (isNew) addAll('periodic');
    },
    put: (member, priority) => {
      const isKnown = members.get(labelOf(member.object)) !== undefined;
      if (priority !== undefined || !isKnown) {
        arrivals.put(member, priority ?? 'fresh');
        return;
      }
      members.put(member);
      // What a Workspace waits for to go is said of it.
      if (isLeaving(workspace.object) && isLeaving(member.object)) queue.add(self);
    },
    remove: (label) => {
      arrivals.remove(label);
      if (isLeaving(workspace.object) || isExact(workspace.definition)) queue.add(self);
    },
    sourceChanged: (kind, name) => {
      arrivals.sourceChanged(kind, name);
      if (kind === 'secrets' && workspace.definition.spec.credentialsFrom?.secretKeyRef?.name === name) addAll('fresh');
    },
    lookAgain: () => {
      memory.isStale ??= 'drift';
      memory.isPassDue = true;
      queue.add(self);
      for (const { object } of members.all()) {
        const label = labelOf(object);
        // A status may have been changed by hand as well.
        if (open.has(label) || !isReady(object)) queue.add(label, 'periodic');
      }
      recovery.endWait();
    },
    setUnreadable: (labels) => {
      unreadable = labels;
      if (isExact(workspace.definition)) queue.add(self);
    },
    end: () => {
      over.abort();
      queue.close();
    },
    ended,
  };
}
