/** What becomes of each object of a workspace after a look: what is written about it, and when it is looked at again. */

import { type DefinitionOf, isAnnotated, type ObjectDefinition } from '@rolecall/crds';
import { collectionOf } from '@rolecall/reconcile';
import { asSeen, type CustomObject, hasFinalizer, isObserved, labelOf } from '../resources/custom-object.ts';
import { StatusError } from '../runtime/errors.ts';
import type { WorkQueue } from '../runtime/work-queue.ts';
import type { PassContext } from '../workspace/context.ts';
import type { Member, Members } from '../workspace/object-index.ts';
import { statusOf, type Verdict } from './conditions.ts';
import { invalid, isHomeless, isOfKubernetes, isPermanent, toWhoever, waiting } from './outcomes.ts';
import { nextBoundary, stateAt, type TimeWindow } from './permission-window.ts';
import { createTimetable } from './timers.ts';

export interface Telling extends Disposable {
  /** Objects that are not known to be as they were declared. */
  readonly open: Set<string>;
  /** Those of them that are tried again in their own time. */
  readonly failing: Set<string>;
  /** What is being written, by the object that it is about. */
  readonly writes: ReadonlyMap<string, Promise<void>>;
  /** Writes something about an object that is in hand, and lets go of it. */
  readonly write: (label: string, run: () => Promise<void>, error?: Error) => void;
  /** Lets go of an object that is in hand; after an error that may pass it is tried again. */
  readonly finish: (label: string, error?: Error) => void;
  /** @param member as it was looked at; it may have changed since, and then is looked at again */
  readonly report: (member: Member, verdict: Verdict, error?: Error) => void;
  /** What was looked at, with the status that it has by now. */
  readonly latest: (member: Member) => CustomObject;
  /** Puts the finalizer on an object that will have something in the workspace. */
  readonly own: (label: string) => Promise<void>;
  /** Says that the workspace cannot be used, of those in hand of which nothing has been said yet. */
  readonly sayNotReady: (hands: Set<string>, message: string) => void;
  /** What is gone has no boundary to wait for. */
  readonly forgetWindow: (label: string) => void;
}

export interface TellingOptions {
  readonly context: PassContext;
  readonly members: Members;
  readonly queue: WorkQueue;
  /** The object as it is known now, by its label. */
  readonly current: (label: string) => CustomObject | undefined;
  /** The Workspace as it is declared now. */
  readonly workspace: () => DefinitionOf<'Workspace'>;
  /** Told of what goes wrong and is tried again. */
  readonly onFailure: (error: Error, retryInMs: number) => void;
  /** Told when what failed does so no more: others may have waited for it. */
  readonly onRecovered: () => void;
}

/** Begins to tell of the objects of a workspace. */
export function createTelling(options: TellingOptions): Telling {
  const { context, members, queue, current, workspace, onFailure, onRecovered } = options;
  const { clock, writer, limit } = context;
  const open = new Set<string>();
  const failing = new Set<string>();
  const writes = new Map<string, Promise<void>>();
  const timetable = createTimetable(clock, tellWindow);

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
      if (failing.delete(label)) onRecovered();
      queue.forget(label);
    }
    queue.done(label);
  }

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
    const isMarked = !isSettled || hasFinalizer(object) || !isOwning(member.definition, workspace());
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

  function latest(member: Member): CustomObject {
    const now = current(labelOf(member.object));
    if (now?.metadata.uid !== member.object.metadata.uid) return member.object;
    return asSeen(now, member.object);
  }

  async function own(label: string): Promise<void> {
    const member = members.get(label);
    if (member === undefined || !isOwning(member.definition, workspace())) return;
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
    const { status } = member.object;
    // What is not settled, or in hand, is told of its state by the look at it.
    if (open.has(label) || queue.has(label) || !isObserved(member.object) || !queue.claim(label)) {
      queue.add(label);
      return;
    }
    const state = stateAt(status, clock.now());
    schedule(label, member.definition, status);
    if (state === status.state) finish(label);
    else write(label, () => writer.writeStatus(member.object, { ...status, state }));
  }

  /** Only those of which nothing, or nothing that holds, has been said yet: an outage must not be written into thousands of objects. */
  function sayNotReady(hands: Set<string>, message: string): void {
    for (const label of hands) {
      const member = members.get(label);
      if (member === undefined) continue;
      const { object, problem } = member;
      // That it cannot be read is so whatever becomes of the workspace.
      if (problem === undefined && isObserved(object) && !isHomeless(object)) continue;
      hands.delete(label);
      const verdict =
        problem === undefined
          ? waiting('WorkspaceNotReady', toWhoever(object, message))
          : invalid(toWhoever(object, problem));
      const status = statusOf(member.object, verdict, clock.now());
      write(label, () => writer.writeStatus(latest(member), status));
    }
  }

  return {
    ...{ open, failing, writes, write, finish, report, latest, own, sayNotReady },
    forgetWindow: (label) => {
      timetable.set(label, undefined);
    },
    [Symbol.dispose]: () => {
      timetable[Symbol.dispose]();
    },
  };
}

/**
 * Whether an object may only go with the operator's leave: what it made has to be removed, or must not be taken for what
 * nobody declares as soon as the object is gone.
 */
function isOwning(definition: ObjectDefinition, { spec: { exact = [] } }: DefinitionOf<'Workspace'>): boolean {
  if (isAnnotated(definition, 'rolecall.dev/paused')) return false;
  const { managementPolicy, deletionPolicy } = definition.spec;
  const collection = collectionOf[definition.kind];
  const isLeftAlone = managementPolicy !== 'Full' || deletionPolicy !== 'Delete';
  return !isLeftAlone || collection === undefined || exact.includes(collection);
}
