/** One look at one workspace: everything its objects want is planned together, run, and told in their statuses. */

import { randomBytes } from 'node:crypto';
import { type DefinitionOf, isAnnotated } from '@rolecall/crds';
import { createView, type DesiredObject, findId, label, type Plan, type View } from '@rolecall/reconcile';
import { statusOf, type Verdict } from './conditions.ts';
import type { Connected } from './connect.ts';
import { type CustomObject, isLeaving } from './custom-object.ts';
import { type Desires, gatherDesires, type Member } from './desires.ts';
import type { NamedObjects } from './named-objects.ts';
import type { Memory, PassContext } from './pass-context.ts';
import { removeDeleted } from './remove-deleted.ts';
import { planWithout, type Ran, runPlan } from './run-plan.ts';
import { sideBySide } from './side-by-side.ts';
import { converged, observed, stalled, waiting } from './verdicts.ts';
import { nextBoundary, windowAt } from './windows.ts';
import type { Writer } from './writer.ts';

export interface PassResult {
  /** A failure that may pass by itself. */
  readonly transient: Error | undefined;
  /** When a permission begins or ends next, in milliseconds since 1970. */
  readonly boundary: number | undefined;
}

const salt = randomBytes(16).toString('hex');

/** @throws what may pass: the API server refused, or the service could not be read */
export async function convergeWorkspace(
  workspace: { readonly object: CustomObject; readonly definition: DefinitionOf<'Workspace'> },
  members: readonly Member[],
  /** Whether all objects of the workspace are among the members. */
  isWhole: boolean,
  memory: Memory,
  context: PassContext,
): Promise<PassResult> {
  const { clock, writer, named, connections, concurrency } = context;
  const { object, definition } = workspace;
  const say = async (one: CustomObject, verdict: Verdict): Promise<void> =>
    writer.writeStatus(one, statusOf(one, verdict, clock.now()));
  const connected = await connections.connect(definition, object.metadata.namespace);
  if ('reason' in connected) {
    await say(object, stalled(connected.reason, connected.message));
    await sayNotReady(members, `The Workspace ${object.metadata.name} cannot be used: ${connected.message}`, context);
    return { transient: undefined, boundary: undefined };
  }
  const leaving = members.filter((member) => isLeaving(member.object));
  const staying = members.filter((member) => !isLeaving(member.object));
  const marked = await markOwned(staying, writer, concurrency);
  const desires = await gatherDesires(definition, marked.members, named, clock.now());
  await rememberWindows(desires, say);
  const view = (memory.view ??= createView(connected.client));
  try {
    const outcome = await converge(desires, isWhole, view, connected, definition, memory, context);
    const removed = await removeDeleted(leaving, desires, connected, definition, memory, context);
    const statuses = [...outcome.verdicts].flatMap(([name, verdict]) => {
      const member = desires.members.get(name);
      return member === undefined ? [] : [{ object: member.object, verdict }];
    });
    const errors = await sideBySide([...statuses, ...removed.waiting], concurrency, (one) =>
      say(one.object, one.verdict),
    );
    errors.push(...(await sideBySide(removed.gone, concurrency, (one) => writer.removeFinalizer(one))));
    await say(object, outcome.workspace);
    const boundaries = [...desires.members.values()].flatMap(({ definition: one }) =>
      one.kind === 'Permission' ? (nextBoundary(one, clock.now()) ?? []) : [],
    );
    return {
      transient: [...marked.errors, ...errors][0] ?? outcome.transient ?? removed.transient,
      boundary: boundaries.length === 0 ? undefined : Math.min(...boundaries),
    };
  } catch (error) {
    // What was read may be half of it, and what was written is not in it.
    memory.view = undefined;
    const message = error instanceof Error ? error.message : String(error);
    if (!context.signal.aborted) await say(object, waiting('Unreachable', message));
    throw error;
  }
}

/** Only those of which nothing has been said yet: an outage must not be written into thousands of objects. */
async function sayNotReady(members: readonly Member[], message: string, { writer, clock, concurrency }: PassContext) {
  const unsaid = members.filter(({ object }) => object.status.observedGeneration !== object.metadata.generation);
  await sideBySide(unsaid, concurrency, ({ object }) =>
    writer.writeStatus(object, statusOf(object, waiting('WorkspaceNotReady', message), clock.now())),
  );
}

/** Puts the finalizer on whatever is going to make something in the workspace, before it does. */
async function markOwned(members: readonly Member[], writer: Writer, concurrency: number) {
  const marked: Member[] = members.filter((member) => !isOwning(member));
  const errors = await sideBySide(members.filter(isOwning), concurrency, async ({ object, definition }) => {
    const now = await writer.addFinalizer(object);
    if (now !== undefined) marked.push({ object: now, definition });
  });
  return { members: marked, errors: [...errors] };
}

function isOwning({ definition }: Member): boolean {
  const { managementPolicy, deletionPolicy } = definition.spec;
  return managementPolicy === 'Full' && deletionPolicy === 'Delete' && !isAnnotated(definition, 'rolecall.dev/paused');
}

/** A window that begins when it is granted is written down first: whoever comes after a crash grants the same one. */
async function rememberWindows(
  { members, held }: Desires,
  say: (object: CustomObject, verdict: Verdict) => Promise<void>,
): Promise<void> {
  for (const [name, { object, definition }] of members) {
    if (definition.kind !== 'Permission' || held.has(name)) continue;
    const { startsAt, expiresAt } = definition.spec;
    if (startsAt === undefined || object.status.startsAt === startsAt) continue;
    await say(object, { ...waiting('Granting', 'Its window is fixed, and is being granted.'), startsAt, expiresAt });
  }
}

interface Outcome {
  readonly verdicts: Map<string, Verdict>;
  readonly workspace: Verdict;
  readonly transient: Error | undefined;
}

async function converge(
  desires: Desires,
  isWhole: boolean,
  view: View,
  { client, url }: Extract<Connected, { client: unknown }>,
  workspace: DefinitionOf<'Workspace'>,
  memory: Memory,
  context: PassContext,
): Promise<Outcome> {
  const { members, state, held } = desires;
  const now = new Date(context.clock.now());
  const resolveSecret = secretsOf(workspaceNamespace(members), context.named);
  // What cannot be read is not what nobody declares: then nothing undeclared may be removed.
  const exact = isWhole && desires.isComplete ? state.exact : [];
  const refusedBefore = new Map<string, Verdict>();
  const objects = state.objects.map((object) => {
    const before = memory.refused.get(label(object));
    if (before?.wish !== wishOf(object)) return object;
    refusedBefore.set(label(object), before.verdict);
    return { ...object, paused: true };
  });
  const options = { workspace: { url, name: workspace.metadata.name }, overrides: [], now, resolveSecret, salt };
  const planned = await planWithout({ ...state, objects, exact }, view, options);
  const ran = await runPlan(planned.plan, {
    client,
    resolveSecret,
    signal: context.signal,
    concurrency: context.concurrency,
  });
  if (ran.count > 0) memory.view = undefined;
  const done = new Set(planned.plan.steps.map(({ object }) => label(object)).filter((name) => !ran.verdicts.has(name)));
  context.written?.([...done].flatMap((name) => members.get(name)?.object ?? []));
  const verdicts = new Map<string, Verdict>();
  for (const object of objects) {
    const name = label(object);
    const special = held.get(name) ?? refusedBefore.get(name) ?? planned.held.get(name) ?? ran.verdicts.get(name);
    const verdict = special ?? (await settled(object, planned.plan, ran, view, now));
    verdicts.set(name, withWindow(verdict, members.get(name), now.getTime()));
    if (ran.refused.has(name)) memory.refused.set(name, { wish: wishOf(object), verdict });
    else if (!refusedBefore.has(name)) memory.refused.delete(name);
  }
  for (const [name, verdict] of held) if (!verdicts.has(name)) verdicts.set(name, verdict);
  const [refusal] = planned.removals;
  const workspaceVerdict =
    refusal === undefined
      ? { ...converged, message: `${objects.length} objects are looked after.` }
      : stalled('RemovalsRefused', `Nothing undeclared is removed: ${refusal.message}. ${refusal.remedy}.`);
  return { verdicts, workspace: workspaceVerdict, transient: ran.transient };
}

/** The wish itself, without what only this look knows. */
function wishOf(object: DesiredObject): string {
  return JSON.stringify({ ...object, paused: false });
}

async function settled(object: DesiredObject, plan: Plan, ran: Ran, view: View, now: Date): Promise<Verdict> {
  const name = label(object);
  if (object.paused) return { ready: 'Unknown', reason: 'Paused', message: 'It is paused, and left as it is.' };
  if (object.observeOnly) return observed(plan.observed.filter((step) => label(step.object) === name));
  // What was made now is not in what was read before.
  const id = ran.ids.get(name) ?? (await findId(object, view, now));
  return { ...converged, id };
}

function withWindow(verdict: Verdict, member: Member | undefined, now: number): Verdict {
  return member?.definition.kind === 'Permission' ? { ...verdict, ...windowAt(member.definition, now) } : verdict;
}

function workspaceNamespace(members: ReadonlyMap<string, Member>): string {
  const [first] = members.values();
  return first?.object.metadata.namespace ?? '';
}

function secretsOf(namespace: string, named: NamedObjects) {
  return async (source: object): Promise<string> => {
    if (!('secretKeyRef' in source)) throw new Error('in a cluster only secretKeyRef can be used');
    const { name, key } = source.secretKeyRef as { name: string; key: string };
    const found = await named.read('secrets', namespace, name);
    const value = 'data' in found ? found.data[key] : undefined;
    if (value === undefined) throw new Error(`the Secret ${name} lacks the key ${key}`);
    return value;
  };
}
