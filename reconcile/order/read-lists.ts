import type { DeclarableKind } from '@rolecall/api';
import { idOf, type Step } from '../model/step.ts';
import type { Act } from '../operations/operation.ts';
import { does, isMixed, isRepointing } from '../operations/table.ts';
import type { View } from '../view/view.ts';
import { type MemberSteps, memberSteps } from './access-steps.ts';

/**
 * Reads the lists of roles that decide what steps wait for: of the roles that lose something, and of those that get what is
 * lost elsewhere. Only a plan that both gives and takes access needs any, and most of them are read already.
 *
 * @throws the client's errors
 */
export async function readLists(steps: readonly Step[], view: View): Promise<void> {
  if (!isMixed(steps)) return;
  const changes = changesOf(steps);
  const { people, dataSources, deleted, timed } = changes;
  const { byId: roles } = await view.roles();
  // Who reaches a data source that is led to another database may do so by any role.
  const losing = steps.some(isRepointing) ? [...roles.keys()] : losingRoles(changes).filter((role) => roles.has(role));
  await Promise.all(losing.flatMap((role) => [view.rolePeople(role), view.roleDataSources(role)]));
  const permissions = view.peek('permissions');
  const ended = steps.flatMap(({ params }) =>
    params.permission === undefined ? [] : (permissions?.byId.get(idOf(params.permission)) ?? []),
  );
  const losesDataSources = (role: string): boolean => deleted.has(role) || dataSources.has(role) || timed.has(role);
  const lostPeople = new Set([
    ...listed(people, 'removed'),
    ...losing.filter(losesDataSources).flatMap((role) => [...(view.peek(`rolePeople ${role}`)?.byId.keys() ?? [])]),
    ...ended.map(({ person }) => person.id),
  ]);
  const lostDataSources = new Set([
    ...listed(dataSources, 'removed'),
    ...losing.flatMap((role) => [...(view.peek(`roleDataSources ${role}`)?.byId.keys() ?? [])]),
    ...ended.map(({ dataSource }) => dataSource.id),
  ]);
  const has = (...act: [Act, DeclarableKind]): boolean => steps.some((step) => does(step, ...act));
  const gaining = (stepsByRole: MemberSteps, lost: ReadonlySet<string>, isAll: boolean): string[] =>
    [...stepsByRole].flatMap(([role, members]) =>
      roles.has(role) && [...members].some(([id, { status }]) => status === 'added' && (isAll || lost.has(id)))
        ? [role]
        : [],
    );
  await Promise.all([
    ...gaining(people, lostPeople, has('delete', 'data_source')).map(view.roleDataSources),
    ...gaining(dataSources, lostDataSources, has('lock', 'person')).map(view.rolePeople),
  ]);
}

interface Changes {
  readonly people: MemberSteps;
  readonly dataSources: MemberSteps;
  /** Roles. */
  readonly deleted: ReadonlySet<string>;
  /** Roles with other times for a membership, which may give and take. */
  readonly timed: ReadonlySet<string>;
  readonly granted: readonly Step[];
}

function changesOf(steps: readonly Step[]): Changes {
  return {
    people: memberSteps(steps, 'person'),
    dataSources: memberSteps(steps, 'dataSource'),
    deleted: rolesIn(steps.filter((step) => does(step, 'delete', 'role'))),
    timed: rolesIn(steps.filter((step) => does(step, 'edit', 'role_person'))),
    granted: steps.filter((step) => does(step, 'create', 'permission')),
  };
}

const rolesIn = (steps: readonly Step[]): Set<string> => new Set(steps.map(({ params }) => idOf(params.role)));

/** The roles that lose people who get something elsewhere, or lose data sources. */
function losingRoles({ people, dataSources, deleted, timed, granted }: Changes): string[] {
  const gaining = new Set([...listed(people, 'added'), ...granted.map(({ params }) => idOf(params.person))]);
  const isDataSourceGained = granted.length > 0 || listed(dataSources, 'added').length > 0;
  return [...new Set([...people.keys(), ...dataSources.keys(), ...deleted])].filter(
    (role) =>
      deleted.has(role) ||
      timed.has(role) ||
      [...(people.get(role) ?? [])].some(
        ([id, { status }]) => status === 'removed' && (gaining.has(id) || isDataSourceGained),
      ) ||
      [...(dataSources.get(role)?.values() ?? [])].some(({ status }) => status === 'removed'),
  );
}

function listed(members: MemberSteps, wanted: 'added' | 'removed'): string[] {
  return [...members.values()].flatMap((ofRole) =>
    [...ofRole].flatMap(([id, { status }]) => (status === wanted ? [id] : [])),
  );
}
