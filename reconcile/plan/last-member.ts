import { type DesiredObject, type DesiredRole, label } from '../model/desired.ts';
import { roleKey } from '../model/keys.ts';
import { holds } from '../model/membership-window.ts';
import { idOf, type Judged, type Refusal, type Step } from '../model/step.ts';
import { isTaking, subjectOf } from '../operations/table.ts';
import type { AccessRole } from '../view/access.ts';
import { afterSteps } from '../view/outcome.ts';
import { toMember, toPerson } from '../view/read-access.ts';
import type { People, View } from '../view/view.ts';

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

async function findEmptied(guarded: DesiredRole, steps: readonly Step[], view: View, now: Date): Promise<Emptied[]> {
  const roles = await view.roles();
  const actualRole = roles.byId.get(guarded.id ?? '') ?? roles.byKey.get(roleKey(guarded.role))?.[0];
  if (actualRole === undefined) return [];
  const [people, members] = await Promise.all([view.people(), view.rolePeople(actualRole.id)]);
  // A member whose window is not open cannot repair anything now.
  const current = members.all.filter(({ windows }) => holds(windows, now));
  const ableMembers = current.filter(({ id }) => people.byId.get(id)?.isLocked === false);
  const role = { key: actualRole.id, name: actualRole.name, people: members.all.map(toMember), dataSources: [] };
  if (ableMembers.length === 0 || canAnyGetIn(role, steps, people, now)) return [];
  const names = ableMembers.map(({ username }) => username);
  const refusal: Refusal = {
    rail: 'last-member',
    objects: [label(guarded), ...names.map((name) => `Person/${name}`)],
    message: `${label(guarded)} is protected and would have no member left who can log in: ${names.join(', ')} would be taken out, removed or locked`,
    remedy:
      'put another person into the role, in the same run or before, or take the annotation rolecall.dev/protected from it',
    override: `last-member:${label(guarded)}`,
  };
  const taking = steps.filter(
    (step) =>
      takesMember(step) &&
      members.byId.has(idOf(step.params.person)) &&
      (!isAboutRole(step) || idOf(step.params.role) === actualRole.id),
  );
  return [{ refusal, taking }];
}

/** True if a step may take a member out of a role, or keep one from logging in. */
const takesMember = (step: Step): boolean => isTaking(step) && (isAboutRole(step) || subjectOf(step) === 'person');

const isAboutRole = (step: Step): boolean => subjectOf(step) === 'role_person';

/** True if a member of a role can log in once all steps have run. */
function canAnyGetIn(role: AccessRole, steps: readonly Step[], people: People, now: Date): boolean {
  const facts = { people: people.all.map(toPerson), dataSources: [], roles: [role], permissions: [] };
  const deciding = steps.filter((step) => isAboutRole(step) || subjectOf(step) === 'person');
  const after = afterSteps(facts, deciding);
  const unlocked = new Set(after.people.flatMap(({ key, isLocked }) => (isLocked ? [] : [key])));
  const members = after.roles.find(({ key }) => key === role.key)?.people ?? [];
  return members.some(({ key, windows }) => holds(windows, now) && unlocked.has(key));
}
