import { Refusal } from '../refusal.ts';
import {
  deleteRoleDataSource,
  deleteRolePerson,
  insertRoleDataSource,
  insertRolePerson,
  selectDataSourceRoles,
  selectPersonRoles,
  selectRoleDataSources,
  selectRolePeople,
} from '../store/membership.ts';
import { listOf, requireExisting } from './existing.ts';
import type { Handlers } from './handler.ts';

export const membershipHandlers = {
  addRolePerson: async ({ params }, { store, clock }) => {
    await store.write([], async (executor) => {
      await requireExisting(executor, params);
      await insertRolePerson(executor, { role: params.role, member: params.person }, clock().toISOString());
    });
    return {};
  },

  addRoleDataSource: async ({ params }, { store, clock }) => {
    await store.write([], async (executor) => {
      await requireExisting(executor, params);
      await insertRoleDataSource(executor, { role: params.role, member: params.dataSource }, clock().toISOString());
    });
    return {};
  },

  removeRolePerson: async ({ params }, { store }) => {
    await store.write([], async (executor) => {
      if (await deleteRolePerson(executor, { role: params.role, member: params.person })) return;
      await requireExisting(executor, params);
      throw notIn(`person ${params.person}`, params.role);
    });
    return {};
  },

  removeRoleDataSource: async ({ params }, { store }) => {
    await store.write([], async (executor) => {
      if (await deleteRoleDataSource(executor, { role: params.role, member: params.dataSource })) return;
      await requireExisting(executor, params);
      throw notIn(`data source ${params.dataSource}`, params.role);
    });
    return {};
  },

  listRolePeople: async ({ params }, { store }) =>
    store.read(async (executor) => listOf(executor, params, await selectRolePeople(executor, params.role))),

  listRoleDataSources: async ({ params }, { store }) =>
    store.read(async (executor) => listOf(executor, params, await selectRoleDataSources(executor, params.role))),

  listPersonRoles: async ({ params }, { store }) =>
    store.read(async (executor) => listOf(executor, params, await selectPersonRoles(executor, params.person))),

  listDataSourceRoles: async ({ params }, { store }) =>
    store.read(async (executor) => listOf(executor, params, await selectDataSourceRoles(executor, params.dataSource))),
} satisfies Partial<Handlers>;

/** The specification calls adding idempotent, and says of removing only that it begins with a membership. */
function notIn(member: string, role: string): Refusal {
  return new Refusal('not_found', `the ${member} is not in the role ${role}`);
}
