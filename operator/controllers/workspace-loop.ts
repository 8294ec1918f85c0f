/**
 * Looks after one workspace: which of its objects have to be looked at, in parts small enough that what is new never waits
 * for long, one part after the other.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@rolecall/api';
import { type DefinitionOf, isAnnotated, type ObjectDefinition } from '@rolecall/crds';
import { createView, emailKey, type Step, type View } from '@rolecall/reconcile';
import { backoff } from '../runtime/backoff.ts';
import { sleep } from '../runtime/clock.ts';
import { StatusError } from '../runtime/errors.ts';
import type { QueueObserver } from '../runtime/queue-observer.ts';
import { createWorkQueue, type Priority } from '../runtime/work-queue.ts';
import { statusOf, type Verdict } from './conditions.ts';
import { convergePart, type Home, lookedAfter, type PartOutcome } from './converge-part.ts';
import { type CustomObject, hasFinalizer, isLeaving, isRequested, labelOf } from './custom-object.ts';
import { createMembers, type Member } from './members.ts';
import { type Part, partOf, twins } from './part.ts';
import type { Memory, PassContext } from './pass-context.ts';
import { removeDeleted } from './remove-deleted.ts';
import { createTimetable } from './timetable.ts';
import { sourceToken, tokensOf } from './tokens.ts';
import { howToRelease, isOfKubernetes, isPermanent, isShutOut, messageOf, stalled, waiting } from './verdicts.ts';
import { nextBoundary, stateAt, type TimeWindow } from './windows.ts';

export interface WorkspaceObject {
  readonly object: CustomObject;
  readonly definition: DefinitionOf<'Workspace'>;
}

export interface WorkspaceLoop {
  /** Takes the Workspace itself as it is now. */
  readonly update: (workspace: WorkspaceObject) => void;
  /** Takes an object as it is now; where a priority is given, it is looked at. */
  readonly put: (member: Member, priority: Priority | undefined) => void;
  readonly remove: (label: string) => void;
  /** A Secret or ConfigMap is another one. */
  readonly sourceChanged: (kind: 'secrets' | 'configmaps', name: string) => void;
  /** Reads the workspace anew, and compares everything with it. */
  readonly lookAgain: () => void;
  /** Whether some object of the namespace cannot be read, which might be of this workspace. */
  readonly setComplete: (isComplete: boolean) => void;
  /** Ends it: what is under way is finished. */
  readonly end: () => void;
  /** Resolves once nothing is under way any more. */
  readonly ended: Promise<void>;
}

export interface WorkspaceLoopOptions {
  readonly context: PassContext;
  readonly random: () => number;
  /** Told of what goes wrong and is tried again. */
  readonly onFailure: (error: Error, retryInMs: number) => void;
  /** The object as it is known now, by its label. */
  readonly current: (label: string) => CustomObject | undefined;
}

/** How many objects are looked at together, unless what they take away makes it more: what is new waits for no more. */
export const partSize = 128;
/** How long changes are gathered, so that what is applied together is planned together. */
const gatherMs = 10;
/** How long until what is held back is looked at again, once something was written. */
const recheckMs = 1_000;
/** How long a deletion waits for grants that are still to be made. */
const patienceMs = 50;

const retries = { baseMs: 500, maxMs: 10_000 };

/** Starts to look after a workspace. */
export function startWorkspaceLoop(first: WorkspaceObject, options: WorkspaceLoopOptions): WorkspaceLoop {
  const { context, random, onFailure, current } = options;
  const { clock, writer, connections, limit } = context;
  let workspace = first;
  let isComplete = true;
  const { namespace } = first.object.metadata;
  const self = labelOf(first.object);
  const members = createMembers();
  const memory: Memory = { refused: new Map() };
  /** Objects that are not known to be as they were declared, and those of them that are tried again in their own time. */
  const open = new Set<string>();
  const failing = new Set<string>();
  const writes = new Map<string, Promise<void>>();
  const observer = context.metrics && named(`${namespace}/${self} `, context.metrics.queue);
  const queue = createWorkQueue({ clock, random, observer, ...retries });
  const timetable = createTimetable(clock, tellWindow);
  const over = new AbortController();
  const isOver = AbortSignal.any([context.signal, over.signal]);
  let recheck: Disposable | undefined;
  let retryNow = new AbortController();

  // ---- what becomes of an object -------------------------------------------------------------------------------------

  /** Writes something about an object that is in hand, and lets go of it. */
  function write(label: string, run: () => Promise<void>, error?: Error): void {
    const writing = limit(run)
      .then(
        () => error,
        (failed: unknown) => (failed instanceof Error ? failed : new Error(String(failed))),
      )
      .then((failed) => {
        writes.delete(label);
        finish(label, failed);
      });
    writes.set(label, writing);
  }

  function finish(label: string, error?: Error): void {
    if (error !== undefined && !isPermanent(error) && !context.signal.aborted) {
      open.add(label);
      failing.add(label);
      const asked = error instanceof StatusError ? (error.retryAfterMs ?? 0) : 0;
      onFailure(error, queue.retry(label, asked));
    } else {
      failing.delete(label);
      queue.forget(label);
    }
    queue.done(label);
  }

  /** @param member as it was looked at; it may have changed since, and then is looked at again */
  function report(member: Member, verdict: Verdict, error?: Error): void {
    const label = labelOf(member.object);
    const now = members.get(label);
    if (now === undefined || now.object.metadata.uid !== member.object.metadata.uid) {
      queue.done(label);
      return;
    }
    const isSettled = verdict.ready === 'True';
    if (!isSettled) open.add(label);
    else if (now.object.metadata.generation === member.object.metadata.generation) open.delete(label);
    schedule(label, member.definition, verdict);
    const object = latest(member);
    const isMarked = !isSettled || hasFinalizer(object) || !isOwning(member.definition);
    // The API server refused the write before the call: nothing happened that anybody would have to be told of.
    const isUntold = error !== undefined && isOfKubernetes(error);
    if (isUntold || (isMarked && statusOf(object, verdict, clock.now()) === object.status)) {
      finish(label, error);
      return;
    }
    const tell = async (): Promise<void> => {
      if (!isMarked) await own(label);
      const known = latest(member);
      await writer.writeStatus(known, statusOf(known, verdict, clock.now()));
    };
    write(label, tell, error);
  }

  /** What was looked at, with the status that it has by now. */
  function latest(member: Member): CustomObject {
    const now = current(labelOf(member.object));
    if (now?.metadata.uid !== member.object.metadata.uid) return member.object;
    const { annotations: _ofNow, ...metadata } = now.metadata;
    const { annotations, generation } = member.object.metadata;
    return {
      ...member.object,
      // A request that came meanwhile was not acted upon.
      metadata: { ...metadata, generation, ...(annotations === undefined ? {} : { annotations }) },
      status: now.status,
    };
  }

  async function own(label: string): Promise<void> {
    const member = members.get(label);
    if (member === undefined || !isOwning(member.definition)) return;
    const object = latest(member);
    if (hasFinalizer(object)) return;
    const marked = await writer.addFinalizer(object);
    if (marked === undefined) throw new StatusError(404, 'NotFound', `${label} is gone`);
  }

  /** The state of a permission changes with time alone: nothing has to be planned for it. */
  function schedule(label: string, { kind }: ObjectDefinition, window: TimeWindow): void {
    if (kind === 'Permission') timetable.set(label, nextBoundary(window, clock.now()));
  }

  function tellWindow(label: string): void {
    const member = members.get(label);
    if (member?.definition.kind !== 'Permission' || context.signal.aborted) return;
    const { status, metadata } = member.object;
    // What is not settled, or in hand, is told of its state by the look at it.
    if (open.has(label) || status.observedGeneration !== metadata.generation || !queue.claim(label)) {
      queue.add(label);
      return;
    }
    const state = stateAt(status, clock.now());
    schedule(label, member.definition, status);
    if (state === status.state) finish(label);
    else write(label, () => writer.writeStatus(member.object, { ...status, state }));
  }

  // ---- one look ------------------------------------------------------------------------------------------------------

  const say = (verdict: Verdict): Promise<void> =>
    writer.writeStatus(workspace.object, statusOf(workspace.object, verdict, clock.now()));

  async function look(taken: readonly string[], hands: Set<string>): Promise<void> {
    const { object, definition } = workspace;
    if (isLeaving(object) && ![...members.all()].some((member) => hasFinalizer(member.object))) {
      await writer.removeFinalizer(object);
      return;
    }
    if (!isLeaving(object) && members.size() > 0 && !hasFinalizer(object)) {
      if ((await writer.addFinalizer(object)) === undefined) return;
    }
    const connected = await connections.connect(definition, namespace);
    if ('reason' in connected) {
      await say(stalled(connected.reason, toWhoever(object, connected.message)));
      sayNotReady(hands, `The Workspace ${object.metadata.name} cannot be used: ${connected.message}`);
      return;
    }
    const view = await currentView(connected.client);
    const there = taken.flatMap((label) => members.get(label) ?? []);
    const home: Home = {
      ...{ definition, namespace, members, memory, view, connected, context },
      own: (label) => limit(() => own(label)),
      report: (member, verdict, error) => {
        hands.delete(labelOf(member.object));
        report(member, verdict, error);
      },
      remember: (member, verdict) => writer.writeStatus(latest(member), statusOf(latest(member), verdict, clock.now())),
    };
    const staying = there.filter((member) => !isLeaving(member.object)).map((member) => labelOf(member.object));
    const leaving = there.filter((member) => isLeaving(member.object));
    const removes = isExact(definition);
    let outcome: PartOutcome = { workspace: lookedAfter, hasRun: false };
    if (staying.length > 0 || removes) outcome = await convergeSome(staying, home, hands);
    const hasRemoved = leaving.length > 0 && (await removeSome(leaving, home, hands));
    if (outcome.hasRun || hasRemoved) recheckHeld();
    await say(outcome.workspace);
  }

  async function convergeSome(staying: readonly string[], home: Home, hands: Set<string>) {
    const removes = isExact(home.definition);
    const people = members.has('Person') ? await home.view.people() : undefined;
    const holderOf = (email: string) => people?.byEmail.get(emailKey(email))?.at(-1)?.username;
    const partWith = async (chosen: Iterable<string>): Promise<Part> => {
      const waits = new Set(queue.waiting());
      const isOpen = (label: string): boolean => open.has(label) || waits.has(label) || hands.has(label);
      const part = partOf(chosen, members, { isOpen, holderOf });
      await claimAll(part.compared, hands);
      return part;
    };
    const part = await partWith(removes ? members.labels() : staying);
    return convergePart(part, removes && isComplete && !isLeaving(workspace.object), home, async (steps) => {
      if (steps.length === 0) return undefined;
      const others = [...open, ...queue.waiting()].filter((label) => !part.compared.has(label) && members.get(label));
      if (removes || others.length === 0 || !asksForMore(steps, others)) return undefined;
      return partWith([...part.compared, ...others]);
    });
  }

  /** What gives access must be planned with what takes it away, or somebody would lose it for a while. */
  function asksForMore(steps: readonly Step[], others: readonly string[]): boolean {
    const mayGrant = members.protectedRoles.size > 0 || others.some((label) => !label.startsWith('Person/'));
    return steps.some(
      ({ effect, operation }) =>
        effect === 'revoke' ||
        effect === 'remove' ||
        effect === 'replace' ||
        (mayGrant && (operation === 'lockPerson' || operation === 'unlockPerson')),
    );
  }

  async function claimAll(labels: Iterable<string>, hands: Set<string>): Promise<void> {
    for (const label of labels) {
      // Somebody else's hands are those that write its status: that ends.
      while (!hands.has(label) && !queue.claim(label)) {
        if (isOver.aborted) throw new Error('the operator ends');
        await (writes.get(label) ?? sleep(clock, 1, isOver));
      }
      hands.add(label);
    }
  }

  async function removeSome(leaving: readonly Member[], home: Home, hands: Set<string>): Promise<boolean> {
    const isGrant = (label: string): boolean => {
      const member = members.get(label);
      return member !== undefined && !isLeaving(member.object) && grantKinds.has(member.object.kind);
    };
    if ([...queue.waiting()].some(isGrant)) {
      for (const { object } of leaving) {
        hands.delete(labelOf(object));
        queue.done(labelOf(object));
        queue.addAfter(labelOf(object), patienceMs);
      }
      return false;
    }
    return removeDeleted(leaving, home, (member) => {
      const label = labelOf(member.object);
      hands.delete(label);
      open.delete(label);
      timetable.set(label, undefined);
      write(label, () => writer.removeFinalizer(latest(member)));
    });
  }

  async function currentView(client: Client): Promise<View> {
    if (memory.client !== client) {
      memory.view = undefined;
      // What one key may not, another one may.
      memory.refused.clear();
    }
    memory.client = client;
    const before = memory.view;
    if (before !== undefined && memory.isStale !== undefined) {
      // Where nobody declares snippets, they are read for the journals of replacements alone, which leave another person.
      const isKept = memory.isStale === 'drift' && !members.has('Snippet');
      const view = await before.renew(isKept ? ['snippets'] : []);
      if (isKept && members.has('Person')) {
        const { byId } = await view.people();
        const isMissing = ({ object: { kind, status } }: Member) =>
          kind === 'Person' && status.id !== undefined && !byId.has(status.id);
        if ([...members.all()].some(isMissing)) view.drop('snippets');
      }
      memory.view = view;
    }
    memory.isStale = undefined;
    return (memory.view ??= createView(client));
  }

  /** Only those of which nothing has been said yet: an outage must not be written into thousands of objects. */
  function sayNotReady(hands: Set<string>, message: string): void {
    for (const label of hands) {
      const member = members.get(label);
      if (member === undefined || member.object.status.observedGeneration === member.object.metadata.generation)
        continue;
      hands.delete(label);
      const verdict = waiting('WorkspaceNotReady', toWhoever(member.object, message));
      const status = statusOf(member.object, verdict, clock.now());
      write(label, () => writer.writeStatus(latest(member), status));
    }
  }

  /** Whoever waits for something that is not in the way of its own steps is looked at again once something was done. */
  function recheckHeld(): void {
    if (recheck !== undefined || isOver.aborted) return;
    recheck = clock.after(recheckMs, () => {
      recheck = undefined;
      for (const label of open) if (!failing.has(label)) queue.add(label, 'periodic');
    });
  }

  async function run(): Promise<void> {
    let failures = 0;
    for (let key = await queue.next(); key !== undefined; key = await queue.next()) {
      const hands = new Set([key]);
      const work = (): Promise<void> => look([...hands], hands);
      const timed = context.metrics?.timed(work) ?? work;
      if (queue.length() < partSize) await sleep(clock, gatherMs, isOver);
      for (const label of queue.take(partSize - 1)) hands.add(label);
      while (writes.size > 2 * partSize) await Promise.race(writes.values());
      try {
        await timed(self);
        failures = 0;
        for (const label of hands) finish(label);
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        putBack(hands, error);
        if (isOver.aborted) break;
        failures += 1;
        await recover(error, failures);
      }
    }
    await Promise.all(writes.values());
    timetable[Symbol.dispose]();
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
      sayNotReady(hands, `The Workspace ${workspace.object.metadata.name} cannot be used: ${messageOf(error)}`);
    }
    for (const label of hands) queue.done(label);
  }

  /** Waits after a look that could not be ended. */
  async function recover(error: Error, failures: number): Promise<void> {
    if (isShutOut(error)) {
      // Asking again is of use once the key is another one, or for the next look for drift, which begins by itself.
      memory.isStale = 'doubt';
      await say(stalled('Refused', messageOf(error))).catch((failed: unknown) => {
        onFailure(failed instanceof Error ? failed : error, retries.maxMs);
        queue.addAfter(self, retries.maxMs);
      });
      return;
    }
    const wait = backoff(failures, { ...retries, random });
    onFailure(error, wait);
    if (!isOfKubernetes(error)) {
      memory.isStale = 'doubt';
      await say(waiting('Unreachable', messageOf(error))).catch(() => undefined);
    }
    await sleep(clock, wait, AbortSignal.any([isOver, retryNow.signal]));
  }

  function addAll(priority: Priority): void {
    queue.add(self);
    for (const label of members.labels()) queue.add(label, priority);
    retryNow.abort();
    retryNow = new AbortController();
  }

  /** Those whose steps may be others because an object is there, or is not. */
  function affectedBy(label: string): Set<string> {
    const affected = members.referringTo(label);
    for (const token of members.ownOf(label)) for (const one of members.having(token)) affected.add(one);
    for (const one of twins(label, members)) affected.add(one);
    affected.delete(label);
    return affected;
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
      const label = labelOf(member.object);
      const before = members.get(label);
      if (priority === undefined && before !== undefined) {
        members.put(member);
        return;
      }
      if (isRequested(member.object)) {
        memory.isStale ??= 'drift';
        memory.refused.delete(label);
      }
      const isSame =
        before !== undefined &&
        isLeaving(before.object) === isLeaving(member.object) &&
        isDeepStrictEqual(members.ownOf(label), tokensOf(member.definition).own);
      const affected = isSame ? new Set(twins(label, members)) : affectedBy(label);
      members.put(member);
      open.add(label);
      failing.delete(label);
      // Somebody touched it: what was refused is worth another try, though the wish may be the same.
      if (before !== undefined) memory.refused.delete(label);
      queue.forget(label);
      queue.add(label, priority);
      // The first list brings all of them anyway.
      if (priority === 'periodic') return;
      for (const one of isSame ? twins(label, members) : affectedBy(label)) affected.add(one);
      for (const one of affected) queue.add(one);
    },
    remove: (label) => {
      const affected = affectedBy(label);
      members.remove(label);
      open.delete(label);
      failing.delete(label);
      memory.refused.delete(label);
      timetable.set(label, undefined);
      queue.forget(label);
      for (const one of affected) queue.add(one);
      if (isLeaving(workspace.object) || isExact(workspace.definition)) queue.add(self);
    },
    sourceChanged: (kind, name) => {
      for (const label of members.taking(sourceToken(kind, name))) {
        open.add(label);
        memory.refused.delete(label);
        queue.add(label);
      }
      if (kind === 'secrets' && workspace.definition.spec.credentialsFrom?.secretKeyRef?.name === name) addAll('fresh');
    },
    lookAgain: () => {
      memory.isStale ??= 'drift';
      addAll('periodic');
    },
    setComplete: (isNow) => {
      if (isNow && !isComplete) queue.add(self);
      isComplete = isNow;
    },
    end: () => {
      over.abort();
      queue.close();
    },
    ended,
  };
}

/** What is deleted may have to go without its workspace: whoever waits for that has to be told how. */
const toWhoever = (object: CustomObject, message: string): string =>
  isLeaving(object) ? `${message}${/[.!?]$/.test(message) ? '' : '.'} ${howToRelease}` : message;

const isExact = ({ spec: { exact = [] } }: WorkspaceObject['definition']): boolean => exact.length > 0;

const grantKinds: ReadonlySet<string> = new Set(['Role', 'RoleMembership', 'Permission']);

/** Several queues are told of as one, so that what is in them has to differ. */
function named(prefix: string, { added, taken, done, retried }: QueueObserver): QueueObserver {
  const told = (tell: (key: string) => void) => (key: string) => {
    tell(prefix + key);
  };
  return { added: told(added), taken: told(taken), done: told(done), retried: told(retried) };
}

function isOwning(definition: ObjectDefinition): boolean {
  const { managementPolicy, deletionPolicy } = definition.spec;
  return managementPolicy === 'Full' && deletionPolicy === 'Delete' && !isAnnotated(definition, 'rolecall.dev/paused');
}
