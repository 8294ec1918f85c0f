import { type DesiredObject, type DesiredRole, label } from '../model/desired.ts';
import { roleKey } from '../model/keys.ts';
import { holds } from '../model/membership-window.ts';
import { idOf, isJoining, type Judged, type Refusal, type Step, windowsOf } from '../model/step.ts';
import type { View } from '../view/view.ts';

/**
 * Refuses to leave a protected role without a member who can log in: the last one is taken out, removed or locked.
 * Such a role is what the workspace is mended with when something else went wrong.
 */
export async function checkLastMembers(
  steps: readonly Step[],
  objects: readonly DesiredObject[],
  view: View,
  now: Date,
): Promise<Judged[]> {
  const guarded = objects.filter((object) => object.kind === 'Role' && object.protected);
  if (!steps.some(takesMember)) return [];
  const all = await Promise.all((guarded as DesiredRole[]).map((role) => findEmptied(role, steps, view, now)));
  return all.flat().map(({ refusal, taking }) => ({ refusal, holds: taking.map(({ id }) => id) }));
}

/** A role that would be left empty, and the steps that take members out of it. */
interface Emptied {
  readonly refusal: Refusal;
  readonly taking: readonly Step[];
}

async function findEmptied(role: DesiredRole, steps: readonly Step[], view: View, now: Date): Promise<Emptied[]> {
  const roles = await view.roles();
  const found = roles.byId.get(role.id ?? '') ?? roles.byKey.get(roleKey(role.role))?.[0];
  if (found === undefined) return [];
  const [people, members] = await Promise.all([view.people(), view.rolePeople(found.id)]);
  // A member whose window is not open cannot repair anything now.
  const current = members.all.filter(({ windows }) => holds(windows, now));
  const before = current.filter(({ id }) => people.byId.get(id)?.isLocked === false);
  if (before.length === 0 || canGetIn(found.id, steps, current, people.byId, now).size > 0) return [];
  const names = before.map(({ username }) => username);
  const refusal: Refusal = {
    rail: 'last-member',
    objects: [label(role), ...names.map((name) => `Person/${name}`)],
    message: `${label(role)} is protected and would have no member left who can log in: ${names.join(', ')} would be taken out, removed or locked`,
    remedy:
      'put another person into the role, in the same run or before, or take the annotation rolecall.dev/protected from it',
    override: `last-member:${label(role)}`,
  };
  const taking = steps.filter(
    (step) =>
      takesMember(step) &&
      members.byId.has(idOf(step.params['person'])) &&
      (!isAboutRole(step) || idOf(step.params['role']) === found.id),
  );
  return [{ refusal, taking }];
}

/** True if a step may take a member out of a role, or keep one from logging in. */
const takesMember = (step: Step): boolean =>
  isAboutRole(step) || step.operation === 'deletePerson' || step.operation === 'lockPerson';

const isAboutRole = ({ operation, effect }: Step): boolean =>
  operation === 'removeRolePerson' || (operation === 'setRolePersonWindows' && effect === 'change');

/** The members of a role once all steps have run who are not locked then. */
function canGetIn(
  role: string,
  steps: readonly Step[],
  members: readonly { id: string }[],
  people: ReadonlyMap<string, { isLocked: boolean }>,
  now: Date,
): Set<string> {
  const inRole = new Set(members.map(({ id }) => id));
  const locked = new Set([...people].filter(([, { isLocked }]) => isLocked).map(([id]) => id));
  for (const step of steps) {
    const person = idOf(step.params['person']);
    const isHere = idOf(step.params['role']) === role;
    if (isJoining(step) && isHere) {
      if (holds(windowsOf(step), now)) inRole.add(person);
      else inRole.delete(person);
    }
    if (isJoining(step)) continue;
    if (step.operation === 'unlockPerson') locked.delete(person);
    else if (takesMember(step)) {
      if (step.operation === 'lockPerson') locked.add(person);
      else if (step.operation === 'deletePerson' || isHere) inRole.delete(person);
    }
  }
  return inRole.difference(locked);
}
