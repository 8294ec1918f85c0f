import { foldKey, Naming } from '../kinds/naming.ts';
import { kindOf, naturalKeyOf } from '../kinds/registry.ts';
import { type DesiredObject, label, type ObjectReference } from '../model/desired.ts';
import { idOf, type Judged, type Refusal, type Step } from '../model/step.ts';
import { does, operationOf, subjectId, subjectOf } from '../operations/table.ts';
import type { Collection, View } from '../view/view.ts';

/** Groups of desired objects that mean the same one, in the order in which they came. */
export function findTwins(objects: Iterable<DesiredObject>): DesiredObject[][] {
  return sameBy(naturalKeyOf, objects);
}

/** Groups of at least two objects of one kind with the same key. */
function sameBy(keyOf: (object: DesiredObject) => string, objects: Iterable<DesiredObject>): DesiredObject[][] {
  const firsts = new Map<DesiredObject['kind'], Map<string, DesiredObject>>();
  const groups = new Map<DesiredObject, DesiredObject[]>();
  for (const object of objects) {
    const ofKind = firsts.get(object.kind) ?? new Map<string, DesiredObject>();
    firsts.set(object.kind, ofKind);
    const key = keyOf(object);
    const first = ofKind.get(key);
    // Most plans have none, and need no group for each object.
    if (first === undefined) ofKind.set(key, object);
    else groups.set(first, [...(groups.get(first) ?? [first]), object]);
  }
  return [...groups.values()];
}

/** Refuses two desired objects that mean the same one: they would undo each other's work for ever. */
export function declaredTwice(objects: readonly DesiredObject[]): Refusal[] {
  const withIds = objects.filter(({ id }) => id !== undefined);
  return [...findTwins(objects), ...sameBy(({ id = '' }) => id, withIds)].flatMap(([first, ...others]) =>
    others.flatMap((other): Refusal | [] => {
      if (first === undefined) return [];
      return {
        rail: 'declared-twice',
        objects: [label(first), label(other)],
        message: `${label(first)} and ${label(other)} declare the same object`,
        remedy: 'remove one of the two',
      };
    }),
  );
}

/** Adds where the objects are declared: a name alone would have to be looked for in every file. */
export function withPlaces(refusals: readonly Refusal[], objects: readonly DesiredObject[]): Refusal[] {
  if (refusals.length === 0) return [];
  const places = new Map<string, string[]>();
  for (const object of objects) {
    if (object.place === undefined) continue;
    const name = label(object);
    places.set(name, [...(places.get(name) ?? []), object.place]);
  }
  return refusals.map((refusal) => {
    const objectPlaces = [...new Set(refusal.objects)].flatMap((name) => places.get(name) ?? []);
    return objectPlaces.length === 0 ? refusal : { ...refusal, places: objectPlaces };
  });
}

/** Refuses to remove from an exact collection what something declared still refers to. */
export function stillReferenced(steps: readonly Step[], objects: readonly DesiredObject[], view: View): Judged[] {
  const removals = steps.filter((step) => step.effect === 'remove' && operationOf(step).along !== undefined);
  if (removals.length === 0) return [];
  const users = indexUsers(objects, view);
  return removals.flatMap((step) => {
    const user = users.get(subjectId(step));
    if (user === undefined) return [];
    const refusal: Refusal = {
      rail: 'still-referenced',
      objects: [label(step.object), label(user)],
      message: `${label(step.object)} is not declared and would be removed, but ${label(user)} refers to it`,
      remedy: `take ${step.object.name} out of ${label(user)}, or declare ${label(step.object)}`,
    };
    return [{ refusal, holds: stepsWith(step, steps) }];
  });
}

/** The ids of the steps that remove an object: a person is locked before. */
function stepsWith(removal: Step, steps: readonly Step[]): string[] {
  const [subject, id] = [subjectOf(removal), subjectId(removal)];
  return steps
    .filter((step) => step.effect === 'remove' && subjectOf(step) === subject && subjectId(step) === id)
    .map((step) => step.id);
}

/** The first object that refers to each id on the server. */
function indexUsers(objects: readonly DesiredObject[], view: View): Map<string, DesiredObject> {
  const collections: Record<ObjectReference['kind'], Collection<{ id: string }> | undefined> = {
    Person: view.peek('people'),
    Role: view.peek('roles'),
    DataSource: view.peek('dataSources'),
  };
  const naming = new Naming(objects);
  const users = new Map<string, DesiredObject>();
  for (const object of objects) {
    for (const { kind, name } of kindOf(object.kind).references(object)) {
      const collection = collections[kind];
      const id = collection && naming.meant(collection, kind, foldKey[kind](name));
      if (id !== undefined && !users.has(id)) users.set(id, object);
    }
  }
  return users;
}

/**
 * Refuses to create a protected role while an undeclared one goes. Where no id is remembered, a changed
 * name looks just like this, and the protected role would be the one that is deleted.
 */
export function protectedRoleRenamed(steps: readonly Step[], objects: readonly DesiredObject[]): Judged[] {
  const removed = steps.filter((step) => does(step, 'delete', 'role') && step.effect === 'remove');
  if (removed.length === 0) return [];
  const created = new Map(
    steps.flatMap((step) => (does(step, 'create', 'role') ? [[step.object.name, step.id] as const] : [])),
  );
  return objects.flatMap((object): Judged[] => {
    const creation = created.get(object.name);
    if (object.kind !== 'Role' || !object.protected || creation === undefined) return [];
    const refusal: Refusal = {
      rail: 'protected',
      objects: [label(object)],
      message: `${label(object)} is protected and would be created while ${removed.map((step) => step.object.name).join(', ')} would be removed, which may be the same role under its old name`,
      remedy: 'create the new role and remove the old one in two runs',
      override: `protected:${label(object)}`,
    };
    return [{ refusal, holds: [creation, ...removed.map(({ id }) => id)] }];
  });
}

/** Refuses to rename the role of the administrators: the service knows it by its name, so that nobody would be one any more. */
export async function adminRoleRenamed(steps: readonly Step[], view: View): Promise<Judged[]> {
  const renaming = steps.filter((step) => does(step, 'edit', 'role'));
  const adminRole = renaming.length === 0 ? undefined : await view.adminRole();
  if (adminRole === undefined) return [];
  const { byId } = await view.roles();
  return renaming
    .filter(({ params }) => byId.get(idOf(params.role))?.name === adminRole)
    .map(({ id, object }) => ({
      refusal: {
        rail: 'critical',
        objects: [label(object)],
        message: `${label(object)} has the administrators of the workspace, and the service knows it by the name ${adminRole}: under another one, nobody would be an administrator`,
        remedy: 'put the old name back, or start the service with the new one in --admin-role, too',
        override: `critical:${label(object)}`,
      },
      holds: [id],
    }));
}
