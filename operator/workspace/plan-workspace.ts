/** Plans a whole workspace, without what rails and the service refuse. */

import { randomBytes } from 'node:crypto';
import {
  type DesiredObject,
  type DesiredState,
  findUndeclared,
  holdBack,
  isRefused,
  label,
  makePlanWithClaims,
  managerOf,
  type Plan,
  type PlanOptions,
  type Refusal,
  type Undeclared,
  type View,
} from '@rolecall/reconcile';
import { hasFinalizer, isDeleting } from '../resources/custom-object.ts';
import { secretsOf } from '../resources/secrets.ts';
import type { Outcome } from '../status/conditions.ts';
import { refused } from '../status/outcomes.ts';
import { withGrantMade } from '../status/permission-status.ts';
import { managerName } from './client-pool.ts';
import type { ReconcileContext } from './context.ts';
import { type GatheredState, gatherState } from './desired-state.ts';

export interface WorkspacePlan extends Omit<Planned, 'held'>, GatheredState {
  readonly now: Date;
  /** How long it took. */
  readonly planningMs: number;
}

const salt = randomBytes(16).toString('hex');

/**
 * Compares what the objects of a workspace declare with what it has.
 *
 * @param mayRemove whether what is not declared may be removed from the collections that are exact
 * @param ranExactly the exact collections in which nothing undeclared was held back when the workspace was last planned
 * @throws what may pass: the workspace could not be read
 */
export async function planWorkspace(
  context: ReconcileContext,
  mayRemove: boolean,
  ranExactly: readonly Plan['exact'][number][],
): Promise<WorkspacePlan> {
  const { operator, workspace, view, connected, clock } = context;
  const { definition } = workspace;
  const { namespace } = workspace.object.metadata;
  const began = operator.clock.elapsed();
  const now = new Date(clock.now());
  context.refused.begin();
  const gathered = await gatherState(definition, declaring(context), operator.informer, now.getTime());
  const { desired } = gathered;
  const held = new Map([...(await recall(context, gathered, now)), ...gathered.held]);
  // An object that came since then may declare what no other does.
  const isAll = (): boolean => declaring(context).every(([name]) => gathered.declared.has(name));
  const { exact = [], rails } = definition.spec;
  const state = { objects: [...desired.values()], exact: mayRemove && isAll() ? exact : [], rails };
  const planned = await planAllowed(state, view, {
    workspace: { url: connected.url, name: definition.metadata.name },
    overrides: [],
    manager: {
      ...managerOf(managerName(`${namespace}/${definition.metadata.name}`), connected.client),
      ranExactly,
    },
    now,
    resolveSecret: secretsOf(namespace, operator.informer),
    salt,
    bare: true,
  });
  const planningMs = operator.clock.elapsed() - began;
  return { ...gathered, ...planned, held: new Map([...planned.held, ...held]), now, planningMs };
}

/** A deleted object declares what it did until that is removed: an exact collection would remove it otherwise, protected or not. */
function declaring({ objects }: ReconcileContext) {
  return objects.entries().filter(([, { object }]) => !isDeleting(object) || hasFinalizer(object));
}

/** Takes over what earlier reconciles left: grants that were not written down, and refusals of the service, which it returns. */
async function recall({ refused: known, view }: ReconcileContext, { desired, declared }: GatheredState, now: Date) {
  const refusedBefore = new Map<string, Outcome>();
  for (const [name, object] of desired) {
    const wanted = object.kind === 'Permission' ? await withGrantMade(object, declared.get(name), view, now) : object;
    const before = known.find(name, () => asDeclared(wanted));
    if (before !== undefined) refusedBefore.set(name, before);
    if (before !== undefined || wanted !== object) desired.set(name, before === undefined ? wanted : holdBack(wanted));
  }
  return refusedBefore;
}

/** An object as it is declared, without what only this reconcile knows. */
export const asDeclared = (object: DesiredObject | undefined): string =>
  JSON.stringify({ ...object, paused: false, waits: undefined });

/** Rails that refuse one object by itself; the other objects of the plan need not wait for it. */
const objectRails: ReadonlySet<Refusal['rail']> = new Set([
  'ambiguous',
  'missing-reference',
  'email-taken',
  'window-past',
  'password-undeclared',
  'replace-person',
  'protected',
] as const);

export interface Planned {
  readonly plan: Plan;
  /** Objects that a rail holds back, with their outcome. */
  readonly held: ReadonlyMap<string, Outcome>;
  /** What keeps undeclared objects from being removed, if anything does. */
  readonly removals: readonly Refusal[];
  /** What the workspace has and no object declares, as far as it was read; without what the plan removes. */
  readonly undeclared: Undeclared;
}

/**
 * Makes a plan that may run: without the objects that a rail refuses, and without removals of what is not declared when a
 * rail refuses those.
 *
 * @throws what `makePlan` throws
 */
export async function planAllowed(state: DesiredState, view: View, options: PlanOptions): Promise<Planned> {
  const held = new Map<string, Refusal[]>();
  let removals: readonly Refusal[] = [];
  let { exact } = state;
  let { objects } = state;
  for (;;) {
    const { plan, claimed } = await makePlanWithClaims({ ...state, objects, exact }, view, options);
    const compared = { objects, claimed };
    const result = async (allowed: Plan): Promise<Planned> => {
      const undeclared = await findUndeclared({ ...compared, steps: allowed.steps }, view, options.now, false);
      const outcomes = new Map([...held].map(([name, all]) => [name, refused(all)]));
      return { plan: allowed, held: outcomes, removals, undeclared };
    };
    if (!isRefused(plan)) return result(plan);
    const known = new Set(objects.map(label));
    const isOfObject = ({ rail, objects: names }: Refusal): boolean =>
      objectRails.has(rail) || (rail === 'first-removal' && names.some((one) => known.has(one)));
    const others = plan.refusals.filter((refusal) => !isOfObject(refusal));
    if (others.length > 0 && exact.length > 0) {
      removals = others;
      exact = [];
      continue;
    }
    if (!holdRefused(plan, held, known)) return result({ ...plan, steps: [], refusals: [] });
    objects = state.objects.map((object) => (held.has(label(object)) ? holdBack(object) : object));
  }
}

/**
 * Holds back the objects that the refusals of a plan name; where they name none, those that take something away, or all.
 *
 * @returns whether there is anything left to plan without them
 */
function holdRefused(plan: Plan, held: Map<string, Refusal[]>, known: ReadonlySet<string>): boolean {
  const before = held.size;
  const hold = (name: string, refusals: readonly Refusal[]): void =>
    void held.set(name, [...(held.get(name) ?? []), ...refusals]);
  for (const refusal of plan.refusals) {
    for (const name of refusal.objects.filter((one) => known.has(one))) hold(name, [refusal]);
  }
  if (held.size > before) return true;
  const taking = plan.steps.filter(({ effect }) => effect === 'revoke' || effect === 'remove' || effect === 'replace');
  const blamed = new Set((taking.length > 0 ? taking : plan.steps).map(({ object }) => label(object)));
  for (const name of blamed) if (!held.has(name)) hold(name, plan.refusals);
  return held.size > before && [...blamed].some((name) => known.has(name));
}
