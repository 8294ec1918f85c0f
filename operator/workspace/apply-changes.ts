/** Plans what some objects of a workspace want, runs it, and tells how each has come out of it. */

import { randomBytes } from 'node:crypto';
import type { DefinitionOf } from '@rolecall/crds';
import {
  type DesiredObject,
  findCurrentId,
  holdBack,
  label,
  managerOf,
  type Plan,
  type Step,
  unmade,
  type View,
} from '@rolecall/reconcile';
import { type CustomObject, hasFinalizer, isLeaving, labelOf } from '../resources/custom-object.ts';
import { secretsOf } from '../resources/secrets.ts';
import { StatusError } from '../runtime/errors.ts';
import type { Verdict } from '../status/conditions.ts';
import { logStep, tellOfOthers } from '../status/events.ts';
import { converged, observed, sentence, stalled } from '../status/outcomes.ts';
import { withGrantMade, withWindow } from '../status/permission-status.ts';
import { type Connected, managerName } from './client-pool.ts';
import type { Memory, PassContext, Report } from './context.ts';
import { leavingOf, type Part } from './dependency-closure.ts';
import { type Desires, gatherDesires } from './desired-state.ts';
import { createBeginnings, withoutMoment } from './duration-windows.ts';
import type { Member, Members } from './object-index.ts';
import { type Planned, planWithout, runPlan } from './run-plan.ts';

export interface Home {
  readonly definition: DefinitionOf<'Workspace'>;
  /** The Workspace itself. */
  readonly workspace: CustomObject;
  readonly namespace: string;
  readonly members: Members;
  readonly memory: Memory;
  readonly view: View;
  readonly connected: Extract<Connected, { client: unknown }>;
  readonly context: PassContext;
  /** Puts the finalizer on an object that will have something in the workspace, before it has. */
  readonly own: (label: string) => Promise<void>;
  /** Writes down the window of a permission that begins when it is granted, before it is. */
  readonly remember: (member: Member, verdict: Verdict) => Promise<void>;
  readonly report: Report;
}

export interface PartOutcome {
  /** What keeps undeclared objects from being removed, if anything does. */
  readonly workspace: Verdict;
  /** Whether something was done: what only failed is tried again in its own time, whoever waits for it. */
  readonly hasRun: boolean;
}

const salt = randomBytes(16).toString('hex');

/** What is said of a Workspace with which all is well. */
export const lookedAfter: Verdict = {
  ...converged,
  message: 'The workspace is reached, and its objects are looked after.',
};

/**
 * Converges a part of a workspace's objects.
 *
 * @param isWhole whether the part is all there is, so that what is missing in it is what nobody declares
 * @param widen gives the part that is planned instead, by what the steps of a plan need and nothing in it makes (labels), and by the
 *   steps themselves; undefined where this one will do
 * @throws what may pass: the workspace could not be read
 */
export async function convergePart(
  part: Part,
  isWhole: boolean,
  home: Home,
  widen: (unmade: readonly string[], steps: readonly Step[]) => Promise<Part | undefined>,
): Promise<PartOutcome> {
  const { view, memory, context, connected, members } = home;
  const now = new Date(context.clock.now());
  const resolveSecret = secretsOf(home.namespace, context.named);
  for (const name of part.compared) memory.touched.delete(name);
  const { desires, planned, objects, refusedBefore } = await planPart(part, isWhole, home, now);
  const { steps } = planned.plan;
  const wider = await widen(unmade(steps, [...objects.values()]).map(label), steps);
  if (wider !== undefined) return convergePart(wider, isWhole, home, widen);
  if (isWhole) {
    const collections = planned.removals.length === 0 ? planned.plan.exact : [];
    memory.ranExactly = { url: connected.url, collections };
  }
  const beginnings = createBeginnings(desires, home.remember);
  const told = new Set<string>();
  const tell = (name: string, verdict: Verdict, error?: Error): void => {
    const member = desires.members.get(name);
    if (member === undefined || told.has(name) || !part.compared.has(name)) return;
    told.add(name);
    const hasBegun = beginnings.hasBegun(name);
    const moment = hasBegun ? context.clock.now() : now.getTime();
    const around = { view, url: connected.url, isOthers: desires.conflicts.has(name), hasBegun, now: moment };
    home.report(member, withWindow(verdict, member, { ...around, id: objects.get(name)?.id }), error);
  };
  const heldBack = (name: string): Verdict | undefined =>
    desires.held.get(name) ?? refusedBefore.get(name) ?? planned.held.get(name);
  for (const name of part.compared) {
    const verdict = heldBack(name);
    if (verdict !== undefined && !beginnings.follows(name)) tell(name, verdict);
  }
  // All at once, as far as the API server takes them: one for each step as it comes would leave it waiting.
  const owned = new Map<string, Promise<void>>();
  for (const name of new Set(planned.plan.steps.map(({ object }) => label(object)))) {
    if (part.compared.has(name)) owned.set(name, home.own(name));
  }
  // Whoever waits for one is told of its failure; a run that was interrupted waits for none.
  for (const owning of owned.values()) owning.catch(() => undefined);
  /** What was deleted before its first call has no finalizer: made all the same, it would stand for nobody. */
  function failIfGone({ object }: Step): void {
    const name = label(object);
    if (object.undeclared === true || !part.compared.has(name)) return;
    const { uid } = desires.members.get(name)?.object.metadata ?? {};
    if (members.get(name)?.object.metadata.uid !== uid) throw new StatusError(404, 'NotFound', `${name} is gone`);
  }
  const finished: Promise<void>[] = [];
  const made: Step[] = [];
  const ran = await runPlan(planned.plan, {
    client: connected.client,
    view,
    resolveSecret,
    signal: context.signal,
    concurrency: context.concurrency,
    before: async (step) => {
      await owned.get(label(step.object));
      await beginnings.before(step);
      failIfGone(step);
    },
    onStep: (step) => {
      made.push(step);
      logStep(context.log, home.namespace, step);
    },
    onObject: (name, id) => {
      const object = objects.get(name);
      if (object === undefined) return;
      if (id !== undefined) tell(name, { ...converged, id });
      else
        finished.push(
          settled(object, planned.plan, desires, view, now).then((verdict) => {
            tell(name, verdict);
          }),
        );
    },
  });
  await Promise.all(finished);
  const isDone = (name: string): boolean => !ran.failed.has(name) && !memory.renewed.has(name);
  const ownerOf = (name: string) => (isDone(name) ? desires.members.get(name)?.object : undefined);
  const telling = tellOfOthers(made, ownerOf, home.workspace, context);
  for (const name of part.compared) if (!ran.failed.has(name)) memory.renewed.delete(name);
  if (ran.isDoubtful) memory.isStale = 'doubt';
  for (const [name, { verdict, error }] of ran.failed) {
    tell(name, verdict, error);
    const object = objects.get(name);
    const isToStay = ran.refused.has(name) && !memory.touched.has(name);
    if (isToStay && object !== undefined) memory.refused.set(name, { wish: wishOf(object), verdict });
  }
  for (const name of part.compared) {
    const object = objects.get(name);
    if (told.has(name) || object === undefined) continue;
    if (!ran.refused.has(name) && !refusedBefore.has(name)) memory.refused.delete(name);
    tell(name, await settled(object, planned.plan, desires, view, now));
  }
  // What could not be read as a definition at all has said so above; nothing may be left without an answer.
  for (const name of part.compared) tell(name, heldBack(name) ?? stalled('Invalid', 'It cannot be converged.'));
  await telling;
  return { workspace: verdictOf(planned.removals), hasRun: made.length > 0 };
}

async function planPart(part: Part, isWhole: boolean, home: Home, now: Date) {
  const { definition, members, memory, view, connected, context } = home;
  const leaving = leavingOf(part, isWhole, members);
  const claiming = new Set(leaving.map(({ object }) => labelOf(object)));
  const labels = new Set([...part.compared, ...part.known]);
  // Since the part was found, some may have been deleted: one that is there twice would be in conflict with itself.
  const staying = [...labels].filter((name) => !claiming.has(name)).flatMap((name) => members.get(name) ?? []);
  const desires = await gatherDesires(definition, [...staying, ...leaving], context.named, now.getTime());
  const { state } = desires;
  // Others may have come since, which are looked at next: what they declare is not what nobody declares. What is only held by
  // somebody else's finalizer has been removed, and declares nothing.
  const isAll = [...members.all()].every(
    ({ object }) =>
      part.compared.has(labelOf(object)) ||
      claiming.has(labelOf(object)) ||
      (isLeaving(object) && !hasFinalizer(object)),
  );
  // Neither is what cannot be read: then nothing undeclared may be removed.
  const exact = isWhole && isAll && desires.isComplete ? state.exact : [];
  const refusedBefore = new Map<string, Verdict>();
  const known = await Promise.all(
    state.objects.map((object) => withGrantMade(object, desires.members.get(label(object)), view, now)),
  );
  const wanted = known.map((object) => {
    const before = memory.refused.get(label(object));
    if (before?.wish !== wishOf(object)) return object;
    refusedBefore.set(label(object), before.verdict);
    return holdBack(object);
  });
  const planned = await planWithout({ ...state, objects: wanted, exact }, view, {
    workspace: { url: connected.url, name: definition.metadata.name },
    overrides: [],
    manager: {
      ...managerOf(managerName(`${home.namespace}/${definition.metadata.name}`), connected.client),
      ranExactly: memory.ranExactly?.url === connected.url ? memory.ranExactly.collections : [],
    },
    now,
    resolveSecret: secretsOf(home.namespace, context.named),
    salt,
    isCompared: (object) => part.compared.has(label(object)) || claiming.has(label(object)),
    bare: true,
  });
  const objects = new Map(wanted.map((object) => [label(object), object]));
  return { desires, planned, objects, refusedBefore };
}

/** The wish itself, without what only this look knows. */
function wishOf(object: DesiredObject): string {
  return JSON.stringify({ ...object, paused: false, waits: undefined });
}

async function settled(
  object: DesiredObject,
  plan: Plan,
  { members, beginning }: Desires,
  view: View,
  now: Date,
): Promise<Verdict> {
  if (object.paused) return { ready: 'Unknown', reason: 'Paused', message: 'It is paused, and left as it is.' };
  const name = label(object);
  const steps = object.observeOnly ? plan.observed.filter((step) => label(step.object) === name) : [];
  const told = beginning.has(name) ? steps.map((step) => withoutMoment(step, members.get(name))) : steps;
  const verdict = object.observeOnly ? observed(told) : converged;
  if (verdict.ready !== 'True') return verdict;
  const id = await findCurrentId(object, view, now);
  // That a permission was granted here is remembered by its id, also once it has ended.
  return id === undefined && object.kind === 'Permission' ? verdict : { ...verdict, id };
}

function verdictOf([refusal]: Planned['removals']): Verdict {
  if (refusal === undefined) return lookedAfter;
  const message = `Nothing undeclared is removed: ${refusal.message}. ${sentence(refusal.remedy)}`;
  return stalled('RemovalsRefused', message);
}
