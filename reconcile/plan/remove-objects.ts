import { timesOf } from '../kinds/declared-times.ts';
import { findCurrentId, findId } from '../kinds/find-id.ts';
import { removePermission } from '../kinds/permission.ts';
import { removePerson } from '../kinds/person.ts';
import { naturalKeyOf } from '../kinds/registry.ts';
import { deleteStep, removeMember, setWindows } from '../model/common-steps.ts';
import { type DesiredObject, type DesiredRole, type DesiredRoleMembership, named } from '../model/desired.ts';
import { dataSourceKey, personKey, roleKey } from '../model/keys.ts';
import { isSameWindow } from '../model/membership-window.ts';
import { idOf, type Step } from '../model/step.ts';
import type { View } from '../view/view.ts';

const reason = 'its definition was deleted';

/**
 * The steps that remove the objects of deleted definitions from the workspace. An object that another definition still
 * declares stays, and one that is gone needs no step.
 *
 * @param removed the objects as they were declared last, each with its id where the front end recorded one
 * @param remaining what is declared still
 */
export async function removalSteps(
  removed: readonly DesiredObject[],
  remaining: readonly DesiredObject[],
  view: View,
  now: Date,
): Promise<Step[]> {
  const leaving = Map.groupBy(removed, ({ kind }) => kind);
  const staying = Map.groupBy(remaining, ({ kind }) => kind);
  // groupBy keeps each object under its own kind.
  const ofRoles: OfRoles = {
    declared: Map.groupBy((staying.get('Role') ?? []) as DesiredRole[], ({ role }) => roleKey(role)),
    memberships: Map.groupBy((staying.get('RoleMembership') ?? []) as DesiredRoleMembership[], ({ role }) =>
      roleKey(role),
    ),
  };
  const steps: Step[] = [];
  const gone = new Set<string>();
  // Whatever goes with a person or data source needs no call of its own, so those come first.
  for (const kind of ['Person', 'DataSource', 'Role', 'Snippet', 'Permission', 'RoleMembership'] as const) {
    const falls = kind === 'Permission' || kind === 'RoleMembership' || kind === 'Snippet';
    const objects = leaving.get(kind) ?? [];
    if (objects.length === 0) continue;
    const kept = new Map(staying.get(kind)?.map((one) => [naturalKeyOf(one), one]));
    for (const object of objects) {
      const keeper = kept.get(naturalKeyOf(object));
      if (keeper !== undefined && !(await isApart(object, keeper, view, now))) continue;
      const made = await stepsFor(object, ofRoles, view, now);
      const ids = made.flatMap(({ params }) => Object.values(params).map(idOf));
      if (falls && (await isGone(object, ids, gone, view))) continue;
      if (!falls) for (const id of ids) gone.add(id);
      steps.push(...made);
    }
  }
  return [...new Map(steps.map((step) => [step.id, step])).values()];
}

/**
 * Whether two objects that declare the same have two things in the workspace: a definition that is renamed keeps what it remembers
 * (`oneCandidate`). A permission is granted anew.
 */
export async function isApart(object: DesiredObject, other: DesiredObject, view: View, now: Date): Promise<boolean> {
  // A grant with another window than both declare is of an earlier declaration of the one that is removed.
  if (object.kind === 'Permission' && object.id !== undefined)
    return (await findId(object, view, now)) !== undefined && (await findCurrentId(object, view, now)) !== object.id;
  if (object.kind === 'Permission' || object.kind === 'RoleMembership') return false;
  const [own, another] = await Promise.all([findId(object, view, now), findId(other, view, now)]);
  return own !== undefined && another !== undefined && own !== another;
}

/** Whether what has the object goes by an earlier step. A permission's call names neither its person nor its data source. */
async function isGone(
  { kind }: DesiredObject,
  ids: readonly string[],
  gone: ReadonlySet<string>,
  view: View,
): Promise<boolean> {
  if (kind === 'Snippet') return false;
  if (kind === 'RoleMembership') return ids.some((id) => gone.has(id));
  const permissions = await view.permissions();
  const granted = ids.flatMap((id) => permissions.byId.get(id) ?? []);
  return granted.some(({ person, dataSource }) => gone.has(person.id) || gone.has(dataSource.id));
}

/** What is still declared of each role, by its natural key. Thousands of memberships are removed at once, and ask for theirs only. */
interface OfRoles {
  readonly declared: ReadonlyMap<string, readonly DesiredRole[]>;
  readonly memberships: ReadonlyMap<string, readonly DesiredRoleMembership[]>;
}

async function stepsFor(object: DesiredObject, ofRoles: OfRoles, view: View, now: Date): Promise<Step[]> {
  if (object.kind === 'RoleMembership') return removeMembership(object, ofRoles, view);
  const id = await findId(object, view, now);
  if (id === undefined) return [];
  switch (object.kind) {
    case 'Person': {
      const person = (await view.people()).byId.get(id);
      return person === undefined ? [] : removePerson(person, named(object), reason);
    }
    case 'Role':
      return [deleteStep({ kind: 'Role', id, name: object.role }, named(object), reason)];
    case 'DataSource':
      return [deleteStep({ kind: 'DataSource', id, name: object.alias }, named(object), reason)];
    case 'Snippet':
      return [deleteStep({ kind: 'Snippet', id, name: object.snippet }, named(object), reason)];
    case 'Permission': {
      const permission = (await view.permissions()).byId.get(id);
      return permission === undefined ? [] : [removePermission(permission, named(object), reason, [])];
    }
  }
}

/** A member that a role lists itself stays, and so does one whose role is gone. */
async function removeMembership(
  object: DesiredRoleMembership,
  { declared, memberships }: OfRoles,
  view: View,
): Promise<Step[]> {
  const role = (await view.roles()).byKey.get(roleKey(object.role))?.[0];
  if (role === undefined) return [];
  const { member } = object;
  const isListed = declared
    .get(roleKey(object.role))
    ?.some(({ people = [], dataSources = [] }) =>
      member.kind === 'Person'
        ? people.some((name) => personKey(name) === personKey(member.username))
        : dataSources.some((name) => dataSourceKey(name) === dataSourceKey(member.alias)),
    );
  if (isListed === true) return [];
  if (member.kind === 'Person') {
    const ofPair = timesOf(memberships.get(roleKey(object.role)) ?? [], member.username);
    // What the others declare stays, and is theirs to write.
    if (ofPair.some(isActive)) return removeTime(object, member.username, role, view);
    if (ofPair.length > 0) return removeBesideHeld(object, member.username, ofPair, role, view);
  }
  const present =
    member.kind === 'Person'
      ? (await view.rolePeople(role.id)).byKey.get(personKey(member.username))?.[0]
      : (await view.roleDataSources(role.id)).byKey.get(dataSourceKey(member.alias))?.[0];
  return present === undefined ? [] : [removal(object, role, present)];
}

const isActive = ({ paused, observeOnly }: DesiredObject): boolean => !paused && !observeOnly;

function removal(object: DesiredRoleMembership, role: { id: string }, present: { id: string }): Step {
  const { member } = object;
  const name = member.kind === 'Person' ? member.username : member.alias;
  const step = removeMember(member.kind, { id: role.id, name: object.role }, { id: present.id, name }, object);
  return { ...step, reason };
}

/** The same where other definitions let the person have the role too: only the time of this one goes. */
async function removeTime(
  object: DesiredRoleMembership,
  username: string,
  role: { id: string; name: string },
  view: View,
): Promise<Step[]> {
  const present = (await view.rolePeople(role.id)).byKey.get(personKey(username))?.[0];
  const { window } = object;
  if (present?.windows === undefined || window === undefined) return [];
  const left = present.windows.filter((one) => !isSameWindow(one, window));
  if (left.length === 0 || left.length === present.windows.length) return [];
  const step = setWindows(role, { id: present.id, name: username }, left, object, present.windows);
  // No step of a removal adds them.
  return [{ ...step, reason, after: [] }];
}

/**
 * The same where all the others are held back: they write nothing, and the membership would stay for good. The times stay that they
 * declare and that are there (`declaredTimes`).
 */
async function removeBesideHeld(
  object: DesiredRoleMembership,
  username: string,
  held: readonly DesiredRoleMembership[],
  role: { id: string; name: string },
  view: View,
): Promise<Step[]> {
  const present = (await view.rolePeople(role.id)).byKey.get(personKey(username))?.[0];
  if (present === undefined) return [];
  const { id, windows } = present;
  if (windows === undefined) {
    return held.some(({ window }) => window === undefined) ? [] : [removal(object, role, present)];
  }
  const left = windows.filter((one) => held.some(({ window }) => window !== undefined && isSameWindow(one, window)));
  if (left.length === windows.length) return [];
  if (left.length === 0) return [removal(object, role, present)];
  // No step of a removal adds them.
  return [{ ...setWindows(role, { id, name: username }, left, object, windows), reason, after: [] }];
}
