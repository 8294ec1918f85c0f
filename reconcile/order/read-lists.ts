import { idOf, type Step } from '../model/step.ts';
import type { View } from '../view/view.ts';
import { isMixed, memberSteps, stepsBy } from './transition.ts';

/**
 * Reads the lists of roles that decide what steps wait for: of the roles that lose something, and of those that get what is
 * lost elsewhere. Only a plan that both gives and takes access needs any, and most of them are read already.
 *
 * @throws the client's errors
 */
export async function readLists(steps: readonly Step[], view: View): Promise<void> {
  if (!isMixed(steps)) return;
  const [people, dataSources] = [memberSteps(steps, 'Person'), memberSteps(steps, 'DataSource')];
  const deletedRoles = stepsBy(steps, 'deleteRole', 'role');
  const granted = steps.filter(({ operation }) => operation === 'createPermission');
  const gain = {
    people: new Set([...listed(people, 'added'), ...granted.map(({ params }) => idOf(params['person']))]),
    dataSources: new Set([...listed(dataSources, 'added'), ...granted.map(({ params }) => idOf(params['dataSource']))]),
  };
  const { byId: roles } = await view.roles();
  const isThere = (role: string): boolean => roles.has(role);
  // Other times for a membership may give and take.
  const timed = stepsBy(
    steps.filter(({ effect }) => effect === 'change'),
    'setRolePersonWindows',
    'role',
  );
  const losing = [...new Set([...people.keys(), ...dataSources.keys(), ...deletedRoles.keys()])].filter(
    (role) =>
      isThere(role) &&
      (deletedRoles.has(role) ||
        timed.has(role) ||
        [...(people.get(role) ?? [])].some(
          ([id, { stay }]) => stay === 'removed' && (gain.people.has(id) || gain.dataSources.size > 0),
        ) ||
        [...(dataSources.get(role)?.values() ?? [])].some(({ stay }) => stay === 'removed')),
  );
  await Promise.all(losing.flatMap((role) => [view.rolePeople(role), view.roleDataSources(role)]));
  const lose = {
    people: new Set([
      ...listed(people, 'removed'),
      ...losing.flatMap((role) =>
        deletedRoles.has(role) || dataSources.has(role) || timed.has(role)
          ? [...(view.peek(`rolePeople ${role}`)?.byId.keys() ?? [])]
          : [],
      ),
      ...steps.flatMap(({ operation, params }) =>
        operation === 'deletePermission'
          ? (view.peek('permissions')?.byId.get(idOf(params['permission']))?.person.id ?? [])
          : [],
      ),
    ]),
    dataSources: new Set([
      ...listed(dataSources, 'removed'),
      ...losing.flatMap((role) => [...(view.peek(`roleDataSources ${role}`)?.byId.keys() ?? [])]),
      ...steps.flatMap(({ operation, params }) =>
        operation === 'deletePermission'
          ? (view.peek('permissions')?.byId.get(idOf(params['permission']))?.dataSource.id ?? [])
          : [],
      ),
    ]),
  };
  const isDataSourceDeleted = steps.some(({ operation }) => operation === 'deleteDataSource');
  const isLocked = steps.some(({ operation }) => operation === 'lockPerson');
  const gaining = (own: typeof people, lost: ReadonlySet<string>, isAll: boolean): string[] =>
    [...own].flatMap(([role, members]) =>
      isThere(role) && [...members].some(([id, { stay }]) => stay === 'added' && (isAll || lost.has(id))) ? [role] : [],
    );
  await Promise.all([
    ...gaining(people, lose.people, isDataSourceDeleted).map(view.roleDataSources),
    ...gaining(dataSources, lose.dataSources, isLocked).map(view.rolePeople),
  ]);
}

function listed(members: ReturnType<typeof memberSteps>, wanted: 'added' | 'removed'): string[] {
  return [...members.values()].flatMap((own) => [...own].flatMap(([id, { stay }]) => (stay === wanted ? [id] : [])));
}
