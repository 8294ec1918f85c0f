/** Removes from a workspace what objects made there that are deleted now. */

import { type ExactCollection, isAnnotated } from '@rolecall/crds';
import {
  type DesiredObject,
  type DesiredState,
  type GuardedRole,
  label,
  refuseLastMembers,
  removalSteps,
  type View,
} from '@rolecall/reconcile';
import { hasFinalizer, isLeaving, labelOf } from '../resources/custom-object.ts';
import type { Verdict } from '../status/conditions.ts';
import { logStep } from '../status/events.ts';
import { howToRelease, invalid, refused, stalled, toWhoever, waiting } from '../status/outcomes.ts';
import type { Home } from './apply-changes.ts';
import { twins } from './dependency-closure.ts';
import { gatherDesires } from './desired-state.ts';
import { keyToken, snippetToken } from './index-keys.ts';
import type { Member, Members } from './object-index.ts';
import { leftBehind } from './orphans.ts';
import { runSteps } from './run-plan.ts';

/** What is remembered as the wish of an object whose removal the service refused. */
const removal = 'removal';

/**
 * Removes what deleted objects made, and lets each go as soon as that is done.
 *
 * @param exact the collections in which what nobody declares is removed
 * @param release lets an object go
 * @returns whether anything was removed
 */
export async function removeDeleted(
  leaving: readonly Member[],
  exact: readonly ExactCollection[],
  { definition, namespace, members, memory, view, connected, context, own, report }: Omit<Home, 'remember'>,
  release: (member: Member) => void,
): Promise<boolean> {
  const owned = leaving.filter(({ object }) => hasFinalizer(object));
  if (owned.length === 0) return false;
  const now = context.clock.now();
  const around = aroundOf(owned, members, exact.length > 0);
  const [remaining, { state, conflicts }] = await Promise.all([
    gatherDesires(definition, around, context.named, now),
    gatherDesires(definition, [...owned, ...around], context.named, now),
  ]);
  const desiredOf = new Map(state.objects.map((object) => [label(object), object]));
  const removable: Removable = new Map();
  for (const member of owned) {
    const name = labelOf(member.object);
    if (member.problem !== undefined) {
      report(member, invalid(toWhoever(member.object, member.problem)));
      continue;
    }
    const desired = desiredOf.get(name);
    const heir = conflicts.get(name)?.owner;
    // Who declares the same has it from now on, even while a rail holds that one back: else nobody would ever remove it.
    if (heir !== undefined) await own(heir);
    const left = leftBehind(member, exact, members);
    if (desired === undefined || left === 'left') {
      release(member);
      continue;
    }
    const before = memory.refused.get(name);
    const verdict =
      left === undefined
        ? (heldBack(member, desired) ?? (before?.wish === removal ? before.verdict : undefined))
        : stalled('Exact', left.problem);
    if (verdict === undefined) removable.set(name, { desired, member });
    else report(member, verdict);
  }
  const { steps, kept } = await stepsOf(removable, members, remaining.state, view, new Date(now));
  for (const { object } of owned) memory.lastMembers.delete(labelOf(object));
  for (const [name, { member, verdict }] of kept) {
    memory.lastMembers.add(name);
    report(member, verdict);
  }
  const told = new Set<string>();
  const letGo = (name: string): void => {
    const gone = removable.get(name);
    if (gone === undefined || told.has(name)) return;
    told.add(name);
    release(gone.member);
  };
  const ran = await runSteps(steps, {
    client: connected.client,
    view,
    resolveSecret: () => Promise.reject(new Error(`nothing that is removed from ${namespace} needs a secret`)),
    signal: context.signal,
    concurrency: context.concurrency,
    onStep: (step) => {
      logStep(context.log, namespace, step);
    },
    onObject: letGo,
  });
  if (ran.isDoubtful) memory.isStale = 'doubt';
  for (const [name, { verdict, error }] of ran.failed) {
    const left = removable.get(name);
    if (left === undefined) continue;
    told.add(name);
    const explained = { ...verdict, message: toWhoever(left.member.object, verdict.message) };
    if (ran.refused.has(name)) memory.refused.set(name, { wish: removal, verdict: explained });
    report(left.member, explained, error);
  }
  for (const [name, { member }] of removable) {
    if (told.has(name)) continue;
    // What falls along with another one has no step of its own, and is still there when that one is.
    const owner = meant(name, members).find((one) => ran.failed.has(one));
    if (owner === undefined) letGo(name);
    else report(member, waiting('Waiting', fallsAlong(owner)), ran.failed.get(owner)?.error);
  }
  return steps.length > 0;
}

type Removable = Map<string, { readonly desired: DesiredObject; readonly member: Member }>;

/**
 * The steps of a removal that leaves nobody's role empty that is protected. Who would is taken out of what is removable: what
 * would have gone along with a person may then have to go by itself.
 */
async function stepsOf(removable: Removable, members: Members, remaining: DesiredState, view: View, now: Date) {
  const kept = new Map<string, { readonly member: Member; readonly verdict: Verdict }>();
  for (;;) {
    const wanted = [...removable.values()].map(({ desired }) => desired);
    const steps = await removalSteps(wanted, remaining, view, now);
    const takers = [...(await refuseLastMembers(steps, guardedRoles(members), view))].filter(([name]) =>
      removable.has(name),
    );
    if (takers.length === 0) return { steps, kept };
    for (const [name, refusals] of takers) {
      const member = removable.get(name)?.member;
      removable.delete(name);
      if (member !== undefined) kept.set(name, { member, verdict: refused(refusals) });
    }
  }
}

/** Those that are deleted as well, but held by their protection, are to have somebody as much as the others. */
function guardedRoles(members: Members): GuardedRole[] {
  return [...members.protectedRoles].flatMap((label) => {
    const { object, definition } = members.get(label) ?? {};
    if (object === undefined || definition?.kind !== 'Role') return [];
    const { id } = object.status;
    return [
      { kind: 'Role', name: object.metadata.name, role: definition.spec.name, ...(id === undefined ? {} : { id }) },
    ];
  });
}

/** Why a deleted object has to wait, with what it made, until somebody changes it. */
function heldBack({ definition }: Member, desired: DesiredObject): Verdict | undefined {
  if (isAnnotated(definition, 'rolecall.dev/paused'))
    return waiting('Paused', 'It is deleted, and removed once it is not paused any more.');
  if (!desired.protected) return undefined;
  return stalled('Protected', 'It is protected: take the annotation rolecall.dev/protected away, and it is removed.');
}

const fallsAlong = (owner: string): string =>
  `It goes together with ${owner}, which could not be removed. ${howToRelease}`;

/** What is declared still and may keep what would be removed: who claims the same, and the roles that list a member. */
function aroundOf(owned: readonly Member[], members: Members, isExact: boolean): Member[] {
  const labels = new Set<string>();
  const stay = (label: string): Member[] => {
    const member = members.get(label);
    return member === undefined || isLeaving(member.object) ? [] : [member];
  };
  if (isExact) return [...members.labels()].flatMap(stay);
  const todo = owned.flatMap(({ object, definition }) => {
    const name = labelOf(object);
    switch (definition.kind) {
      case 'Person':
        return [...members.having(keyToken('Person', definition.spec.username))];
      case 'Role':
        return [...members.having(keyToken('Role', definition.spec.name))];
      case 'DataSource':
        return [...members.having(keyToken('DataSource', definition.spec.alias))];
      case 'Snippet':
        return [...members.having(snippetToken(definition.spec.name)), ...meant(name, members)];
      case 'RoleMembership':
      case 'Permission':
        return [...twins(name, members), ...meant(name, members)];
    }
  });
  for (let label = todo.pop(); label !== undefined; label = todo.pop()) {
    if (labels.has(label)) continue;
    labels.add(label);
    todo.push(...meant(label, members));
  }
  return [...labels].flatMap(stay);
}

const meant = (label: string, members: Members): string[] =>
  members.refsOf(label).flatMap((ref) => members.meantBy(ref));
