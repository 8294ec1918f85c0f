import { makeStep, type Step } from '../model/step.ts';
import { isMixed } from '../operations/table.ts';
import type { View } from '../view/view.ts';
import { findAdditionWaits } from './additions-after-removals.ts';
import type { MemberClass } from './member-classes.ts';
import { addRemovalWaits, type BridgeGroups } from './removals-after-replacements.ts';
import { orderRepointed } from './repointed.ts';
import { type Bridge, findSequence } from './sequence.ts';
import type { GroupWaits, StepGroups } from './step-groups.ts';
import { readTransition, type Transition } from './transition.ts';

/**
 * The waits between steps. They ensure that, between any two calls, everyone reaches what both states give, and nothing that neither gives.
 */
export interface AccessWaits {
  /** The ids of steps and gates that each step waits for. */
  readonly after: ReadonlyMap<string, readonly string[]>;
  /** The ids of steps that a step waits for unless one of them waits for it. */
  readonly afterIfFree: ReadonlyMap<string, readonly string[]>;
  /** Lists of steps that many others wait for, by the name of the list. */
  readonly gates: ReadonlyMap<string, readonly string[]>;
  /** Steps that the plan needs besides: permissions for a short time. */
  readonly bridges: readonly Step[];
}

/**
 * Finds the waits of a plan. The rules, and why they hold whichever steps run or fail: docs/decisions/0052.
 *
 * @param view what was read of the roles' lists; see `readLists`
 */
export function findAccessWaits(steps: readonly Step[], view: View, now: Date): AccessWaits {
  if (!isMixed(steps)) return { after: new Map(), afterIfFree: new Map(), gates: new Map(), bridges: [] };
  const transition = readTransition(steps, view, now);
  const waits = findAdditionWaits(transition);
  const sequence = findSequence(transition, waits);
  const bridges = new Bridges(view, transition.groups, now);
  addRemovalWaits(transition, sequence, (bridge) => bridges.of(bridge), waits);
  waitToUnlock(transition, waits);
  // A window that is still to come is replaced as one that is there is: the new one first.
  for (const { end, grant } of transition.renewed) waits.add(end, grant);
  const afterIfFree = orderRepointed(transition, waits);
  return { ...writeOut(waits, transition.groups), afterIfFree, bridges: bridges.steps };
}

/**
 * A person who is let in again waits until everything that they must not reach has gone. Data sources that are deleted are waited for
 * whether or not they reached them: that may be by a permission or a role that no one asked for.
 */
function waitToUnlock({ people, dataSources, roles, ended, endedFor, pairOf }: Transition, waits: GroupWaits): void {
  const removals = dataSources.flatMap(({ removal }) => (removal < 0 ? [] : [removal]));
  for (const { index, unlock, roles: memberships } of people) {
    if (unlock < 0) continue;
    for (const removal of removals) waits.add(unlock, removal);
    for (const [role, { status, group }] of memberships) {
      if (status === 'removed') waits.add(unlock, group);
      for (const { status: other, group: removal } of roles[role]?.dataSources.values() ?? []) {
        if (other === 'removed') waits.add(unlock, removal);
      }
    }
    for (const source of endedFor.get(index) ?? []) {
      for (const group of ended.get(pairOf(index, source)) ?? []) waits.add(unlock, group);
    }
  }
}

/** For how long a bridge holds: longer than any run takes, and short enough for a run that dies. */
const bridgeSeconds = 3600;

/** Makes the steps of bridges: two for each person and data source. */
class Bridges {
  readonly steps: Step[] = [];
  readonly #view: View;
  readonly #groups: StepGroups;
  readonly #now: Date;
  readonly #made = new Map<Bridge, BridgeGroups>();

  constructor(view: View, groups: StepGroups, now: Date) {
    this.#view = view;
    this.#groups = groups;
    this.#now = now;
  }

  of(bridge: Bridge): BridgeGroups {
    const cached = this.#made.get(bridge);
    if (cached !== undefined) return cached;
    const steps = pairsOf(bridge).map(([person, dataSource]) => this.#stepsFor(person, dataSource));
    this.steps.push(...steps.flat());
    const made = {
      made: this.#groups.add(steps.map(([grant]) => grant.id)),
      ended: this.#groups.add(steps.map(([, end]) => end.id)),
    };
    this.#made.set(bridge, made);
    return made;
  }

  #stepsFor(person: string, dataSource: string): [grant: Step, end: Step] {
    const username = this.#view.peek('people')?.byId.get(person)?.username ?? person;
    const source = this.#view.peek('dataSources')?.byId.get(dataSource);
    const alias = source?.alias ?? source?.name ?? dataSource;
    const makes = `Bridge ${person} ${dataSource}`;
    const object = { kind: 'Permission', name: `${username}/${alias}`, undeclared: true } as const;
    const common = {
      reason: `${username} keeps ${alias} while it moves from one role to another, and no order of the calls alone does that`,
      effect: 'replace',
    } as const;
    // Of this plan alone: the service answers the same call a second time within a day as it did the first.
    const keys = ['bridge', person, dataSource, this.#now.toISOString()];
    const grant = makeStep('createPermission', keys, object, {
      ...common,
      params: { dataSource, person },
      body: { duration: bridgeSeconds },
      summary: `let ${username} reach ${alias} for at most an hour, until this run is through`,
      makes,
    });
    const end = makeStep('deletePermission', ['bridge', person, dataSource], object, {
      ...common,
      params: { permission: { ref: makes } },
      summary: `end the permission that let ${username} reach ${alias} meanwhile`,
      after: [grant.id],
    });
    return [grant, end];
  }
}

const pairsOf = ({ person, dataSource }: { person: MemberClass; dataSource: MemberClass }) =>
  person.ids.flatMap((personId) => dataSource.ids.map((dataSourceId) => [personId, dataSourceId] as const));

/** From so many waits of the same steps on, a gate stands for them: a step for each pair would grow with the square. */
const mostWrittenOut = 256;

/** Writes the waits of groups down as those of their steps. */
function writeOut(waits: GroupWaits, groups: StepGroups): Pick<AccessWaits, 'after' | 'gates'> {
  const after = new Map<string, string[]>();
  const gates = new Map<string, readonly string[]>();
  const wait = (id: string, prerequisites: readonly string[]): void => {
    const ids = after.get(id);
    if (ids === undefined) after.set(id, [...prerequisites]);
    else for (const prerequisite of prerequisites) ids.push(prerequisite);
  };
  const lists = new Map<string, { before: readonly number[]; waiting: string[] }>();
  for (const [group, prerequisites] of waits.entries()) {
    const ids = groups.idsOf(group);
    const others: number[] = [];
    for (const prerequisite of prerequisites) {
      if (ids.length > 1 && groups.areParallel(group, prerequisite)) {
        const counterparts = groups.idsOf(prerequisite);
        for (const [index, id] of ids.entries()) wait(id, counterparts.slice(index, index + 1));
      } else others.push(prerequisite);
    }
    if (others.length === 0) continue;
    const key = others.sort((a, b) => a - b).join();
    const list = lists.get(key);
    if (list === undefined) lists.set(key, { before: others, waiting: [...ids] });
    else for (const id of ids) list.waiting.push(id);
  }
  for (const { before, waiting } of lists.values()) {
    const ids = before.flatMap((group) => groups.idsOf(group));
    const isMany = ids.length > 1 && waiting.length > 1 && ids.length * waiting.length > mostWrittenOut;
    const gate = `gate ${gates.size + 1}`;
    if (isMany) gates.set(gate, ids);
    for (const id of waiting) wait(id, isMany ? [gate] : ids);
  }
  return { after, gates };
}
