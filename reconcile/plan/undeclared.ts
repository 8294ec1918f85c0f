import type { Role, RoleDataSource, RolePerson } from '@rolecall/api';
import { type ExactCollection, exactCollections, type ObjectCollection } from '@rolecall/crds';
import type { Claimed } from '../model/claims.ts';
import type { DesiredObject } from '../model/desired.ts';
import { dataSourceKey, ownerOf, personKey, roleKey } from '../model/keys.ts';
import { holdsYet } from '../model/membership-window.ts';
import type { Undeclared } from '../model/plan.ts';
import type { Step } from '../model/step.ts';
import { subjectTable } from '../operations/subjects.ts';
import { actOf, subjectId, subjectOf } from '../operations/table.ts';
import type { Collection, View } from '../view/view.ts';

/** The basis of the count: definitions, the objects that they mean in the workspace, and the steps of the plan. */
export interface Compared {
  readonly objects: readonly DesiredObject[];
  readonly claimed: Claimed;
  readonly steps: readonly Step[];
}

/**
 * Counts what is in the workspace and not declared, without what the steps remove and without permissions and memberships that have ended.
 *
 * @param whole reads every collection and lists the names; else only what was read already is counted, and nothing is read
 * @throws the client's errors
 */
export async function findUndeclared(compared: Compared, view: View, now: Date, whole: boolean): Promise<Undeclared> {
  if (whole) await readAll(view);
  const removed = removedBy(compared.steps);
  const isLeft = (collection: ObjectCollection, id: string): boolean =>
    !compared.claimed[collection].has(id) && !removed.has(id);
  const names: Record<ExactCollection, string[] | undefined> = {
    people: view.peek('people')?.all.flatMap(({ id, username }) => (isLeft('people', id) ? [username] : [])),
    roles: view.peek('roles')?.all.flatMap(({ id, name }) => (isLeft('roles', id) ? [name] : [])),
    memberships: undeclaredMemberships(compared.objects, removed, renamedBy(compared.steps), view, now),
    dataSources: view
      .peek('dataSources')
      ?.all.flatMap((dataSource) => (isLeft('dataSources', dataSource.id) ? [dataSourceName(dataSource)] : [])),
    permissions: view.peek('permissions')?.all.flatMap(({ id, person, dataSource, expiresAt }) => {
      const isOver = Date.parse(expiresAt) <= now.getTime();
      if (isOver || !isLeft('permissions', id) || removed.has(person.id) || removed.has(dataSource.id)) return [];
      return [`${person.username} on ${dataSourceName(dataSource)} until ${expiresAt}`];
    }),
    snippets: view.peek('snippets')?.all.flatMap((snippet) => {
      if (!isLeft('snippets', snippet.id)) return [];
      const owner = ownerOf(snippet);
      const whose = owner === undefined ? '' : ` of ${owner.kind === 'Person' ? owner.username : owner.role}`;
      return [`${snippet.activeVersion.name}${whose}`];
    }),
  };
  return Object.fromEntries(
    exactCollections.flatMap((collection) => {
      const undeclaredNames = names[collection];
      if (undeclaredNames === undefined) return [];
      return [[collection, { count: undeclaredNames.length, ...(whole ? { names: undeclaredNames.toSorted() } : {}) }]];
    }),
  );
}

async function readAll(view: View): Promise<void> {
  const [roles] = await Promise.all([
    view.roles(),
    view.people(),
    view.dataSources(),
    view.permissions(),
    view.snippets(),
  ]);
  await Promise.all(roles.all.flatMap(({ id }) => [view.rolePeople(id), view.roleDataSources(id)]));
}

const dataSourceName = ({ name, alias }: { name: string; alias: string | null }): string => alias ?? name;

/** Ids of what steps delete, and of memberships that they end: `role/member`. A replacement makes again what falls. */
function removedBy(steps: readonly Step[]): Set<string> {
  return new Set(steps.filter((step) => actOf(step) === 'delete' && step.effect !== 'replace').map(subjectId));
}

/** The names that steps give, by the id of what has another one now: definitions go by these. */
function renamedBy(steps: readonly Step[]): Map<string, string> {
  return new Map(
    steps.flatMap((step) => {
      const { name: field } = subjectTable[subjectOf(step)];
      const name = field === undefined || actOf(step) !== 'edit' ? undefined : step.body?.[field];
      return typeof name === 'string' ? [[subjectId(step), name] as const] : [];
    }),
  );
}

/** @returns undefined where the members of some role were not read */
function undeclaredMemberships(
  objects: readonly DesiredObject[],
  removed: ReadonlySet<string>,
  renamed: ReadonlyMap<string, string>,
  view: View,
  now: Date,
) {
  const roles = view.peek('roles');
  if (roles === undefined) return undefined;
  const lists: { role: Role; people: Collection<RolePerson>; dataSources: Collection<RoleDataSource> }[] = [];
  for (const role of roles.all) {
    const [people, dataSources] = [view.peek(`rolePeople ${role.id}`), view.peek(`roleDataSources ${role.id}`)];
    if (people === undefined || dataSources === undefined) return undefined;
    lists.push({ role, people, dataSources });
  }
  const declared = declaredMembers(objects);
  const undeclaredNames: string[] = [];
  for (const { role, people, dataSources } of lists) {
    const members = [
      ...people.all
        .filter(({ windows }) => holdsYet(windows, now))
        .map(({ id, username }) => ({ id, name: username, key: `Person ${personKey(renamed.get(id) ?? username)}` })),
      ...dataSources.all.map((dataSource) => ({
        id: dataSource.id,
        name: dataSourceName(dataSource),
        // Nothing can refer to a data source without an alias.
        key:
          dataSource.alias === null
            ? ''
            : `DataSource ${dataSourceKey(renamed.get(dataSource.id) ?? dataSource.alias)}`,
      })),
    ];
    for (const { id, name, key } of members) {
      const isGone = removed.has(role.id) || removed.has(id) || removed.has(`${role.id}/${id}`);
      if (!isGone && declared.get(roleKey(renamed.get(role.id) ?? role.name))?.has(key) !== true)
        undeclaredNames.push(`${name} in ${role.name}`);
    }
  }
  return undeclaredNames;
}

/** By role: every member that a list or a RoleMembership declares. */
function declaredMembers(objects: readonly DesiredObject[]): Map<string, Set<string>> {
  const declared = new Map<string, Set<string>>();
  const add = (role: string, keys: readonly string[]): void => {
    const memberKeys = declared.get(roleKey(role)) ?? new Set();
    declared.set(roleKey(role), memberKeys);
    for (const key of keys) memberKeys.add(key);
  };
  const personMember = (username: string): string => `Person ${personKey(username)}`;
  const sourceMember = (alias: string): string => `DataSource ${dataSourceKey(alias)}`;
  for (const object of objects) {
    if (object.kind === 'Role') {
      add(object.role, [...(object.people ?? []).map(personMember), ...(object.dataSources ?? []).map(sourceMember)]);
    } else if (object.kind === 'RoleMembership') {
      const { member } = object;
      add(object.role, [member.kind === 'Person' ? personMember(member.username) : sourceMember(member.alias)]);
    }
  }
  return declared;
}
