import { kindOf, kinds } from '../kinds/registry.ts';
import { endBridges, removeUndeclared, withoutImplied } from '../kinds/removals.ts';
import { removeUndeclaredMembers } from '../kinds/role-members.ts';
import { createScope, type Scope, type Surroundings } from '../kinds/scope.ts';
import { type Claimed, createClaims } from '../model/claims.ts';
import { type DesiredObject, type DesiredState, label } from '../model/desired.ts';
import type { Plan } from '../model/plan.ts';
import { type Diff, emptyDiff, type Judged, type Note, type Refusal, type Step } from '../model/step.ts';
import { readLists } from '../order/read-lists.ts';
import { checkOwners, type Manager } from '../view/owners.ts';
import type { View } from '../view/view.ts';
import { type Cascade, cascadeNotes, findCascade, refuseAmbiguousOrphans } from './cascade.ts';
import { countRemovals } from './count-removals.ts';
import { digestReadings } from './digest.ts';
import { HeldBack, ofObjects } from './held-back.ts';
import { checkLastMembers } from './last-member.ts';
import { Memory } from './memory.ts';
import { type OrderedSteps, orderSteps } from './order.ts';
import { declaredOverrides, needlessOverrides, overridden } from './overrides.ts';
import { checkRemovalShare } from './rails.ts';
import { adminRoleRenamed, declaredTwice, protectedRoleRenamed, stillReferenced, withPlaces } from './refusals.ts';
import { lookAlikeNotes, lostPasswordNotes } from './review-notes.ts';

export interface PlanOptions extends Surroundings {
  workspace: Plan['workspace'];
  /** The manager that runs the plan. If omitted, the ownership check is skipped. */
  manager?: Manager;
  /** Tokens of the rails that are overridden. */
  overrides: readonly string[];
  /**
   * True if definitions come and go one by one, as the objects of a cluster do: a share that is refused holds up only what takes
   * something away, and what a deleted definition has goes whatever else still refers to it.
   */
  isOneByOne?: boolean;
  /** Leaves out what only a reader of the plan needs and what takes long to find: its notes, and its digest. */
  bare?: boolean;
}

/**
 * Compares what is desired with what is there. Reads each collection that matters once and writes nothing.
 *
 * @returns a plan, which says by its refusals when it may not run
 * @throws the client's errors when the workspace cannot be read, and the resolver's when a secret cannot be had
 */
export async function makePlan(state: DesiredState, view: View, options: PlanOptions): Promise<Plan> {
  return (await makePlanWithClaims(state, view, options)).plan;
}

export interface PlanWithClaims {
  plan: Plan;
  /** The objects of the workspace that the definitions mean. */
  claimed: Claimed;
  /** The ids of what each definition means, by its label. */
  claimsOf: ReadonlyMap<string, readonly string[]>;
  /** All that the steps were made from, by name. */
  readings: ReadonlyMap<string, unknown>;
  /** The refusals that hold a declared object up, or some of its calls, by its label. */
  held: ReadonlyMap<string, readonly Refusal[]>;
  /** The refusals that hold up the removal of what a deleted definition has, by its label. */
  heldAbsent: ReadonlyMap<string, readonly Refusal[]>;
  /** The refusals that hold up a removal of what no definition ever declared. */
  heldRemovals: readonly Refusal[];
}

/** The same, with what front ends need besides. */
export async function makePlanWithClaims(
  declaredState: DesiredState,
  view: View,
  options: PlanOptions,
): Promise<PlanWithClaims> {
  await expectReadings(declaredState, view, options);
  const declared = declaredOverrides(declaredState.overrides ?? [], options.now);
  const overrides = new Set([...options.overrides, ...declared.active.map(({ token }) => token)]);
  const memory = await readMemory(view, options.manager, overrides);
  const recalled = await memory?.recall(declaredState.objects, view);
  const state = recalled === undefined ? declaredState : { ...declaredState, objects: recalled };
  const held = new HeldBack(state.objects);
  let first: Draft | undefined;
  for (;;) {
    const objects = held.apply(state.objects);
    const absent = [...(state.absent ?? []), ...(memory?.absent(objects) ?? [])];
    const draft = await draftPlan({ ...state, objects, absent }, held.kept, memory?.judged ?? [], view, options);
    first ??= draft;
    const isStanding = ({ refusal: { override } }: Judged): boolean =>
      override === undefined || !overrides.has(override);
    const ofDraft = draft.judged.filter(isStanding);
    // What is refused of one object keeps no other from being planned, so the rest is planned as if that one were paused.
    if (held.takeObjects(ofDraft)) continue;
    const checked = await checkRemovalShare({ ...state, objects }, draft.ordered.steps, view, options);
    held.takeWaiting(first.ordered, draft.ordered, options.isOneByOne);
    const steps = held.takeSteps([...ofDraft, ...checked.judged.filter(isStanding)], draft.ordered);
    if (held.takeRemovals(draft.ordered.steps, steps)) continue;
    const refused = [...draft.judged, ...checked.judged].map(({ refusal }) => refusal);
    const declarations = memory?.declarations(objects, draft.claimsOf);
    const remembered = declarations && memory?.notes(declarations, state.objects);
    const plan = await finish(
      { ...draft, notes: [...draft.notes, ...(remembered ?? []), ...checked.notes] },
      steps,
      first,
      held.refusals,
      refused,
      declared,
      state,
      view,
      options,
    );
    return {
      plan: declarations === undefined ? plan : { ...plan, declarations },
      claimed: draft.claimed,
      claimsOf: draft.claimsOf,
      readings: draft.readings,
      held: held.byObject,
      heldAbsent: held.byAbsent,
      heldRemovals: held.ofUndeclared,
    };
  }
}

/** @returns undefined where the front end remembers by itself, or the service does not */
async function readMemory(
  view: View,
  manager: Manager | undefined,
  overrides: ReadonlySet<string>,
): Promise<Memory | undefined> {
  if (manager?.set === undefined) return undefined;
  const remembered = await view.declared();
  return remembered === undefined ? undefined : new Memory(manager.name, remembered, manager.set, overrides);
}

/** Steps and what is to be said of them, before anything is held up. */
interface Draft {
  ordered: OrderedSteps;
  observed: Step[];
  judged: Judged[];
  notes: Note[];
  cascade: Cascade[];
  claimed: Claimed;
  /** The ids of what each declared object means, by its label. */
  claimsOf: ReadonlyMap<string, readonly string[]>;
  readings: ReadonlyMap<string, unknown>;
}

/**
 * @param staying ids of undeclared objects that are not removed
 * @param standing refusals that stand before anything is compared
 */
async function draftPlan(
  state: DesiredState,
  staying: ReadonlySet<string>,
  standing: readonly Judged[],
  view: View,
  options: PlanOptions,
): Promise<Draft> {
  const claims = createClaims();
  const { bare = false, isOneByOne = false, now, manager } = options;
  const scope = createScope(state, view, claims, options);
  const claimsOf = new Map<string, readonly string[]>();
  const { diff, observed } = await diffAll(state.objects, scope, (object, ids) => {
    claims.add(object, ids);
    claimsOf.set(label(object), ids);
  });
  const removals = await removeUndeclared(state, claims, scope, staying);
  const emptied = await removeUndeclaredMembers(scope);
  diff.notes.push(...emptied.notes);
  const ended = await endBridges(state, view);
  const made = withoutImplied(unique([...diff.steps, ...emptied.steps, ...removals, ...ended]));
  await readLists(made, view);
  const ordered = orderSteps(made, view, now);
  const { steps } = ordered;
  const cascade = await findCascade(steps, claims, view);
  const owners =
    manager === undefined
      ? { judged: [], notes: [] }
      : await checkOwners(steps, manager, { rails: state.rails, isRead: !bare }, view);
  // Who deletes an object of a cluster means it, whatever refers to it still; a renamed one is the same object there.
  const removing = isOneByOne ? steps.filter(({ object }) => object.deleted !== true) : steps;
  const judged = [
    ...standing,
    ...ofObjects([...declaredTwice(state.objects), ...diff.refusals]),
    ...stillReferenced(removing, state.objects, view),
    ...protectedRoleRenamed(removing, state.objects),
    ...(await adminRoleRenamed(steps, view)),
    ...(await checkLastMembers(steps, state.objects, view, now)),
    ...refuseAmbiguousOrphans(cascade, scope),
    ...owners.judged,
  ];
  const notes = [...diff.notes, ...owners.notes];
  // What is read from here on judges the steps and tells of them: no step would be another one if it changed.
  return {
    ordered,
    observed: unique(observed),
    judged,
    notes,
    cascade,
    claimed: claims,
    claimsOf,
    readings: new Map(view.readings()),
  };
}

async function finish(
  { ordered, observed, notes, cascade, readings }: Draft,
  steps: Step[],
  first: Draft,
  standing: readonly Refusal[],
  refused: readonly Refusal[],
  declared: ReturnType<typeof declaredOverrides>,
  state: DesiredState,
  view: View,
  { bare = false, overrides, now, workspace }: PlanOptions,
): Promise<Plan> {
  const running = new Set(steps.map(({ id }) => id));
  const left = cascade.filter(({ step }) => running.has(step.id));
  const held = [...first.ordered.steps, ...ordered.steps].filter(({ id }) => !running.has(id));
  const planned = new Set(ordered.steps.map(({ id }) => id));
  // A reader of a removal that is held up asks what it would take along, too.
  const alsoHeld = first.cascade.filter(({ step }) => !planned.has(step.id));
  return {
    format: 1,
    createdAt: now.toISOString(),
    workspace,
    steps,
    ...(Object.keys(ordered.gates).length === 0 ? {} : { gates: ordered.gates }),
    observed,
    held: unique(held),
    refusals: withPlaces(standing, state.objects),
    notes: [
      ...notes,
      ...(bare ? [] : await lookAlikeNotes(steps, view)),
      ...cascadeNotes([...alsoHeld, ...cascade]),
      ...(bare ? [] : await lostPasswordNotes(steps, view)),
      ...overridden(refused, overrides, declared.active),
      ...declared.notes,
      ...needlessOverrides(
        [...standing, ...refused],
        // The day after, a declared one has done its work. Where something is refused all the same, it may be misspelt.
        [...overrides, ...(standing.length === 0 ? [] : declared.active.map(({ token }) => token))],
      ),
    ],
    removals: countRemovals(steps, left),
    compared: countKinds(state.objects),
    exact: state.exact,
    rails: state.rails,
    digest: bare ? '' : digestReadings(readings),
  };
}

/** Says what the plan will ask, so that the view can read it in one call. */
async function expectReadings({ objects, exact }: DesiredState, view: View, { resolveSecret, manager }: PlanOptions) {
  const passwords = new Map<string, string>();
  let snippets = exact.includes('snippets');
  for (const object of objects) {
    if (object.kind === 'Snippet') snippets = true;
    if (object.kind !== 'DataSource' || object.password === undefined) continue;
    try {
      passwords.set(object.alias, await resolveSecret(object.password));
    } catch {
      // The object itself says so when it is compared.
    }
  }
  view.expect({ snippets, passwords, declaredBy: manager?.set && manager.name });
}

/**
 * The most objects that are compared at a time. The view shares each reading among all that wait for it, and the client bounds what is in
 * flight; ten thousand at once would only be memory to clean up.
 */
const sideBySide = 500;

type Claim = (object: DesiredObject, ids: readonly string[]) => void;

async function diffAll(objects: readonly DesiredObject[], scope: Scope, claim: Claim) {
  const diff = emptyDiff();
  const observed: Step[] = [];
  for (const [kind, ofKind] of grouped(objects)) {
    const open = ofKind.filter((object) => !isSettled(kindOf(kind), object, scope, claim));
    for (let from = 0; from < open.length; from += sideBySide) {
      const some = open.slice(from, from + sideBySide);
      const results = await Promise.all(some.map((object) => diffOne(kindOf(kind), object, scope, claim)));
      for (const [index, result] of results.entries()) {
        diff.notes.push(...result.notes);
        if (some[index]?.observeOnly === true) {
          for (const step of result.steps) observed.push(step);
          // Nothing will be written for it, so nothing needs to be kept from running.
          diff.notes.push(...result.refusals.map((refusal) => toNote(some[index], refusal)));
        } else {
          // A role may have more members than a call takes arguments.
          for (const step of result.steps) diff.steps.push(step);
          diff.refusals.push(...result.refusals);
        }
      }
    }
  }
  return { diff, observed };
}

function toNote(object: DesiredObject | undefined, { message }: Refusal): Note {
  const name = object === undefined ? '' : label(object);
  return { object: name, message: message.startsWith(`${name} `) ? message.slice(name.length + 1) : message };
}

/** True if nothing is to be done for an object; claims what it means. */
function isSettled(kind: ReturnType<typeof kindOf>, object: DesiredObject, scope: Scope, claim: Claim): boolean {
  // A note says that it is paused.
  const ids = object.paused ? undefined : kind.settled?.(object, scope);
  if (ids !== undefined) claim(object, ids);
  return ids !== undefined;
}

async function diffOne(
  kind: ReturnType<typeof kindOf>,
  object: DesiredObject,
  scope: Scope,
  claim: Claim,
): Promise<Diff> {
  const observation = await kind.observe(object, scope);
  claim(object, observation.claims);
  if (object.paused) {
    const notes = object.waits === true ? [] : [{ object: label(object), message: 'is paused, and left as it is' }];
    return { ...emptyDiff(), notes };
  }
  return kind.diff(object, observation);
}

function grouped(objects: readonly DesiredObject[]) {
  const byKind = Map.groupBy(objects, (object) => object.kind);
  // Object.keys gives strings; these are the registry's own kinds.
  return (Object.keys(kinds) as (keyof typeof kinds)[]).map((kind) => [kind, byKind.get(kind) ?? []] as const);
}

/** A call that two objects ask for, such as a membership in a role's list and as an object of its own, is made once. */
function unique(steps: readonly Step[]): Step[] {
  return [...new Map(steps.map((step) => [step.id, step])).values()];
}

function countKinds(objects: readonly DesiredObject[]): Record<string, number> {
  return Object.fromEntries(
    grouped(objects)
      .filter(([, ofKind]) => ofKind.length > 0)
      .map(([kind, ofKind]) => [kind, ofKind.length]),
  );
}
