import { created, deleted } from '../audit/change.ts';
import { showMembership } from '../audit/show.ts';
import { Refusal } from '../refusal.ts';
import {
  dataSourceRolePages,
  deleteRoleDataSource,
  deleteRolePerson,
  insertRoleDataSource,
  insertRolePerson,
  personRolePages,
  roleDataSourcePages,
  rolePeoplePages,
} from '../store/membership.ts';
import { listOf, type Named, requireExisting } from './existing.ts';
import type { Context, Handlers, Nothing } from './handler.ts';

export const membershipHandlers = {
  addRolePerson: async ({ params }, context) => {
    const membership = { role: params.role, member: params.person };
    return add(context, params, 'role_person', membership, insertRolePerson);
  },

  addRoleDataSource: async ({ params }, context) => {
    const membership = { role: params.role, member: params.dataSource };
    return add(context, params, 'role_data_source', membership, insertRoleDataSource);
  },

  removeRolePerson: async ({ params }, context) => {
    const membership = { role: params.role, member: params.person };
    return remove(context, params, 'role_person', membership, deleteRolePerson);
  },

  removeRoleDataSource: async ({ params }, context) => {
    const membership = { role: params.role, member: params.dataSource };
    return remove(context, params, 'role_data_source', membership, deleteRoleDataSource);
  },

  listRolePeople: async ({ params }, { store }) => listOf(store, params, rolePeoplePages(params.role)),

  listRoleDataSources: async ({ params }, { store }) => listOf(store, params, roleDataSourcePages(params.role)),

  listPersonRoles: async ({ params }, { store }) => listOf(store, params, personRolePages(params.person)),

  listDataSourceRoles: async ({ params }, { store }) => listOf(store, params, dataSourceRolePages(params.dataSource)),
} satisfies Partial<Handlers>;

type Kind = 'role_person' | 'role_data_source';

/** The identifiers of a role, and of a person or a data source. */
type Membership = { role: string; member: string };

async function add(
  { store, clock }: Context,
  named: Named,
  kind: Kind,
  membership: Membership,
  insert: typeof insertRolePerson,
): Promise<Nothing> {
  await store.write(['membership'], async (executor, record) => {
    await requireExisting(executor, named);
    const assignedAt = clock().toISOString();
    const isNew = await insert(executor, membership.role, membership.member, assignedAt);
    if (isNew) record([created(showMembership(kind, { ...membership, assignedAt }))]);
  });
  return {};
}

/** In the specification, adding is idempotent, and removing needs an existing membership. */
async function remove(
  { store }: Context,
  named: Named,
  kind: Kind,
  membership: Membership,
  erase: typeof deleteRolePerson,
): Promise<Nothing> {
  await store.write(['membership'], async (executor, record) => {
    const assignedAt = await erase(executor, membership.role, membership.member);
    if (assignedAt !== undefined) {
      record([deleted(showMembership(kind, { ...membership, assignedAt }))]);
      return;
    }
    await requireExisting(executor, named);
    const member = kind === 'role_person' ? 'person' : 'data source';
    throw new Refusal('not_found', `the ${member} ${membership.member} is not in the role ${membership.role}`);
  });
  return {};
}
