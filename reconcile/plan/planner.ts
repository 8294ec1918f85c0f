import { kindOf, kinds } from '../kinds/registry.ts';
import { removeUndeclared, withoutImplied } from '../kinds/removals.ts';
import { removeUndeclaredMembers } from '../kinds/role-members.ts';
import { createScope, type Scope, type Surroundings } from '../kinds/scope.ts';
import { type Claimed, createClaims } from '../model/claims.ts';
import { type DesiredObject, type DesiredState, label } from '../model/desired.ts';
import { personKey } from '../model/keys.ts';
import { countRemovals, type Plan } from '../model/plan.ts';
import { type Diff, emptyDiff, type Note, type Refusal, type Step } from '../model/step.ts';
import { readLists } from '../order/read-lists.ts';
import { checkOwners, type Manager } from '../view/owners.ts';
import type { View } from '../view/view.ts';
import { withoutPeople } from '../view/without-people.ts';
import { cascadeNotes, findCascade, refuseAmbiguousOrphans } from './cascade.ts';
import { digestReadings } from './digest.ts';
import { checkLastMembers } from './last-member.ts';
import { orderSteps } from './order.ts';
import { needlessOverrides, overridden, unusedOverrides } from './overrides.ts';
import { checkRemovalShare } from './rails.ts';
import { declaredTwice, protectedRoleRenamed, stillReferenced, withPlaces } from './refusals.ts';
import { findReplaced, keepGrants, type ReplacedPerson } from './replaced-people.ts';
import { lookAlikeNotes, lostPasswordNotes } from './review-notes.ts';

export interface PlanOptions extends Surroundings {
  workspace: Plan['workspace'];
  /** Who runs the plan. Absent: what others wrote is not looked at. */
  manager?: Manager;
  /** Tokens of the rails that are overridden. */
  overrides: readonly string[];
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

/** The same, with what the definitions mean in the workspace, and all that the steps were made from, by name. */
export async function makePlanWithClaims(
  state: DesiredState,
  view: View,
  options: PlanOptions,
): Promise<{ plan: Plan; claimed: Claimed; readings: ReadonlyMap<string, unknown> }> {
  const claims = createClaims();
  const { bare = false, now } = options;
  const scopeWithout = (people: readonly ReplacedPerson[]): Scope =>
    createScope(
      state,
      people.length === 0 ? view : withoutPeople(view, new Set(people.map(({ id }) => id))),
      claims,
      options,
      new Set(people.map(({ username }) => personKey(username))),
    );
  const { diff, observed, replaced, scope } = await diffAll(state.objects, scopeWithout, claims.add);
  const removals = await removeUndeclared(state, claims, scope.view);
  const emptied = await removeUndeclaredMembers(scope);
  diff.notes.push(...emptied.notes);
  const made = withoutImplied(unique([...diff.steps, ...emptied.steps, ...removals]));
  const kept = await keepGrants({ steps: made, state, claimed: claims, now }, replaced, view);
  await readLists(kept.steps, view);
  const { steps, gates } = orderSteps(kept.steps, view, now);
  const cascade = await findCascade(steps, claims, view);
  const { overrides, manager } = options;
  const owners =
    manager === undefined
      ? emptyDiff()
      : await checkOwners(steps, manager, { rails: state.rails, isRead: !bare }, view);
  const lookAlikes = bare ? [] : await lookAlikeNotes(steps, view);
  const ofObjects = [
    ...declaredTwice(state.objects),
    ...diff.refusals,
    ...kept.refusals,
    ...stillReferenced(steps, state.objects, view),
    ...protectedRoleRenamed(steps, state.objects),
    ...(await checkLastMembers(steps, state.objects, view)),
    ...refuseAmbiguousOrphans(cascade, scope),
    ...owners.refusals,
  ];
  // What a share is reckoned from is no basis of the steps: none of them would be another one if it changed.
  const readings = new Map(view.readings());
  const refusals = [...ofObjects, ...(await checkRemovalShare(state, steps, view, now))];
  const standing = withPlaces(refusals, state.objects).filter(
    ({ override }) => override === undefined || !overrides.includes(override),
  );
  const plan: Plan = {
    format: 1,
    createdAt: options.now.toISOString(),
    workspace: options.workspace,
    steps,
    ...(Object.keys(gates).length === 0 ? {} : { gates }),
    observed: unique(observed),
    refusals: standing.length === 0 ? [] : [...standing, ...unusedOverrides(refusals, overrides)],
    notes: [
      ...diff.notes,
      ...kept.notes,
      ...lookAlikes,
      ...cascadeNotes(cascade),
      ...owners.notes,
      ...(bare ? [] : await lostPasswordNotes(steps, view)),
      ...overridden(refusals, overrides),
      ...(standing.length === 0 ? needlessOverrides(refusals, overrides) : []),
    ],
    removals: countRemovals(steps, cascade),
    compared: countKinds(state.objects),
    exact: state.exact,
    rails: state.rails,
    digest: bare ? '' : digestReadings(readings),
  };
  return { plan, claimed: claims, readings };
}

/**
 * How many objects are compared at a time. The view shares each reading among all that wait for it, and the client bounds what is in
 * flight; ten thousand at once would only be memory to clean up.
 */
const sideBySide = 500;

type Claim = (object: DesiredObject, ids: readonly string[]) => void;

/**
 * Compares kind by kind. People come before all that refers to them, so that everything after them is compared with the
 * workspace as it is without the people that the plan replaces.
 */
async function diffAll(
  objects: readonly DesiredObject[],
  scopeWithout: (people: readonly ReplacedPerson[]) => Scope,
  claim: Claim,
) {
  const diff = emptyDiff();
  const observed: Step[] = [];
  let replaced: ReplacedPerson[] = [];
  let scope = scopeWithout(replaced);
  for (const [kind, ofKind] of grouped(objects)) {
    if (ofKind.length === 0) continue;
    for (let from = 0; from < ofKind.length; from += sideBySide) {
      const some = ofKind.slice(from, from + sideBySide);
      const results = await Promise.all(some.map((object) => diffOne(kindOf(kind), object, scope, claim)));
      for (const [index, result] of results.entries()) {
        diff.notes.push(...result.notes);
        if (some[index]?.observeOnly === true) {
          observed.push(...result.steps);
          // Nothing will be written for it, so nothing needs to be kept from running.
          diff.notes.push(...result.refusals.map((refusal) => toNote(some[index], refusal)));
        } else {
          diff.steps.push(...result.steps);
          diff.refusals.push(...result.refusals);
        }
      }
    }
    if (kind !== 'Person') continue;
    replaced = findReplaced(diff.steps);
    if (replaced.length > 0) scope = scopeWithout(replaced);
  }
  return { diff, observed, replaced, scope };
}

function toNote(object: DesiredObject | undefined, { message }: Refusal): Note {
  const name = object === undefined ? '' : label(object);
  return { object: name, message: message.startsWith(`${name} `) ? message.slice(name.length + 1) : message };
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
    return { ...emptyDiff(), notes: [{ object: label(object), message: 'is paused, and left as it is' }] };
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
