import type { MembershipWindows } from '../model/membership-window.ts';
import { idOf, type Step, windowsOf } from '../model/step.ts';
import type { AccessDataSource, AccessFacts, AccessPermission, AccessPerson } from './access.ts';

interface Facts {
  people: Map<string, AccessPerson>;
  dataSources: Map<string, AccessDataSource>;
  roles: Map<string, { name: string; people: Map<string, MembershipWindows>; dataSources: Set<string> }>;
  permissions: Map<string, AccessPermission>;
  /** People who are deleted, and their permissions with them. */
  gone: Set<string>;
}

/** The facts as they are once every step has run. What is yet to be made has the name of its reference as its key. */
export function afterSteps(before: AccessFacts, steps: readonly Step[]): AccessFacts {
  const facts = open(before);
  for (const step of steps) effectOf[step.operation]?.(facts, step);
  return {
    people: [...facts.people.values()],
    dataSources: [...facts.dataSources.values()],
    roles: [...facts.roles].map(([key, { name, people, dataSources }]) => ({
      key,
      name,
      people: [...people].map(([member, windows]) => ({ key: member, ...(windows && { windows }) })),
      dataSources: [...dataSources].map((member) => ({ key: member })),
    })),
    permissions: [...facts.permissions.values()].filter(({ person }) => !facts.gone.has(person)),
  };
}

function open({ people, dataSources, roles, permissions }: AccessFacts): Facts {
  return {
    people: new Map(people.map((person) => [person.key, person])),
    dataSources: new Map(dataSources.map((dataSource) => [dataSource.key, dataSource])),
    roles: new Map(
      roles.map(({ key, name, people: members, dataSources: reached }) => [
        key,
        {
          name,
          people: new Map(members.map(({ key: member, windows }) => [member, windows])),
          dataSources: new Set(reached.map(keyOf)),
        },
      ]),
    ),
    permissions: new Map(permissions.map((permission) => [permission.key, permission])),
    gone: new Set(),
  };
}

const keyOf = ({ key }: { key: string }): string => key;
const param = ({ params }: Step, name: string): string => idOf(params[name]);

/** A field of the body as text; steps are data, and their types are known only to the operation. */
function field({ body }: Step, name: string): string | undefined {
  const value = body?.[name];
  return typeof value === 'string' ? value : undefined;
}

const setLock = (isLocked: boolean) => (facts: Facts, step: Step) => {
  const person = facts.people.get(param(step, 'person'));
  if (person !== undefined) facts.people.set(person.key, { ...person, isLocked });
};

const effectOf: Readonly<Partial<Record<Step['operation'], (facts: Facts, step: Step) => void>>> = {
  createPerson({ people }, step) {
    const key = step.makes ?? '';
    people.set(key, { key, username: field(step, 'username') ?? '', name: field(step, 'name') ?? '', isLocked: false });
  },
  updatePerson({ people }, step) {
    const person = people.get(param(step, 'person'));
    if (person === undefined) return;
    const { username = person.username, name = person.name } = {
      username: field(step, 'username'),
      name: field(step, 'name'),
    };
    people.set(person.key, { ...person, username, name });
  },
  lockPerson: setLock(true),
  unlockPerson: setLock(false),
  deletePerson({ people, gone }, step) {
    people.delete(param(step, 'person'));
    gone.add(param(step, 'person'));
  },
  createRole({ roles }, step) {
    roles.set(step.makes ?? '', { name: field(step, 'name') ?? '', people: new Map(), dataSources: new Set() });
  },
  updateRole({ roles }, step) {
    const role = roles.get(param(step, 'role'));
    if (role !== undefined) role.name = field(step, 'name') ?? role.name;
  },
  deleteRole({ roles }, step) {
    roles.delete(param(step, 'role'));
  },
  addRolePerson({ roles }, step) {
    roles.get(param(step, 'role'))?.people.set(param(step, 'person'), undefined);
  },
  setRolePersonWindows({ roles }, step) {
    roles.get(param(step, 'role'))?.people.set(param(step, 'person'), windowsOf(step));
  },
  removeRolePerson({ roles }, step) {
    roles.get(param(step, 'role'))?.people.delete(param(step, 'person'));
  },
  addRoleDataSource({ roles }, step) {
    roles.get(param(step, 'role'))?.dataSources.add(param(step, 'dataSource'));
  },
  removeRoleDataSource({ roles }, step) {
    roles.get(param(step, 'role'))?.dataSources.delete(param(step, 'dataSource'));
  },
  createDataSource({ dataSources }, step) {
    const key = step.makes ?? '';
    dataSources.set(key, { key, alias: field(step, 'alias') ?? null, name: field(step, 'name') ?? '' });
  },
  updateDataSource({ dataSources }, step) {
    const dataSource = dataSources.get(param(step, 'dataSource'));
    const alias = field(step, 'alias');
    if (dataSource !== undefined && alias !== undefined) dataSources.set(dataSource.key, { ...dataSource, alias });
  },
  deleteDataSource({ dataSources }, step) {
    dataSources.delete(param(step, 'dataSource'));
  },
  createPermission({ permissions }, step) {
    const startsAt = field(step, 'startsAt');
    const duration = step.body?.['duration'];
    if (startsAt === undefined || typeof duration !== 'number') return;
    permissions.set(step.id, {
      key: step.id,
      person: param(step, 'person'),
      dataSource: param(step, 'dataSource'),
      startsAt,
      expiresAt: new Date(Date.parse(startsAt) + duration * 1000).toISOString(),
    });
  },
  updatePermission({ permissions }, step) {
    const permission = permissions.get(param(step, 'permission'));
    if (permission === undefined) return;
    const { startsAt = permission.startsAt, expiresAt = permission.expiresAt } = step.body as Partial<AccessPermission>;
    permissions.set(permission.key, { ...permission, startsAt, expiresAt });
  },
  deletePermission({ permissions }, step) {
    permissions.delete(param(step, 'permission'));
  },
};
