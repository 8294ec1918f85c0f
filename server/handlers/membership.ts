import { isDeepStrictEqual } from 'node:util';
import type { MembershipWindow } from '@rolecall/api';
import { changed, created, deleted } from '../audit/change.ts';
import { showMembership } from '../audit/show.ts';
import { Refusal } from '../refusal.ts';
import {
  type DeletedMembership,
  dataSourceRolePages,
  deleteRoleDataSource,
  deleteRolePerson,
  insertRoleDataSource,
  insertRolePerson,
  personRolePages,
  roleDataSourcePages,
  rolePeoplePages,
} from '../store/membership.ts';
import { replaceWindows, selectWindows } from '../store/membership-window.ts';
import type { Executor } from '../store/store.ts';
import { listOf, type Named, requireExisting } from './existing.ts';
import type { Context, Handlers, Nothing } from './handler.ts';

export const membershipHandlers = {
  addRolePerson: async ({ params }, context) =>
    setWindows(context, params, { role: params.role, member: params.person }, []),

  setRolePersonWindows: async ({ params, body }, context) =>
    setWindows(context, params, { role: params.role, member: params.person }, body.windows),

  addRoleDataSource: async ({ params }, { store, clock }) => {
    const { role, dataSource: member } = params;
    await store.write(['membership'], async (executor, record) => {
      await requireExisting(executor, params);
      const assignedAt = clock().toISOString();
      const isNew = await insertRoleDataSource(executor, role, member, assignedAt);
      if (isNew) record([created(showMembership('role_data_source', { role, member, assignedAt }))]);
    });
    return {};
  },

  removeRolePerson: async ({ params }, context) =>
    remove(context, params, 'role_person', { role: params.role, member: params.person }, deleteRolePerson),

  removeRoleDataSource: async ({ params }, context) =>
    remove(context, params, 'role_data_source', { role: params.role, member: params.dataSource }, deleteRoleDataSource),

  listRolePeople: async ({ params }, { store }) => listOf(store, params, rolePeoplePages(params.role)),

  listRoleDataSources: async ({ params }, { store }) => listOf(store, params, roleDataSourcePages(params.role)),

  listPersonRoles: async ({ params }, { store }) => listOf(store, params, personRolePages(params.person)),

  listDataSourceRoles: async ({ params }, { store }) => listOf(store, params, dataSourceRolePages(params.dataSource)),
} satisfies Partial<Handlers>;

type Kind = 'role_person' | 'role_data_source';

/** The identifiers of a role, and of a person or a data source. */
type Membership = { role: string; member: string };

/** @param windows the times in which the person has the role; none: as long as the membership is there */
async function setWindows(
  { store, clock }: Context,
  named: Named,
  membership: Membership,
  windows: readonly MembershipWindow[],
): Promise<Nothing> {
  await store.write(['membership'], async (executor, record) => {
    await requireExisting(executor, named);
    const { role, member } = membership;
    const assignedAt = clock().toISOString();
    if (await insertRolePerson(executor, role, member, assignedAt)) {
      await replaceWindows(executor, membership, windows);
      record([created(showMembership('role_person', { ...membership, assignedAt, windows }))]);
      return;
    }
    const current = await selectWindows(executor, role, member);
    if (isDeepStrictEqual(current, windows)) return;
    await replaceWindows(executor, membership, windows);
    const show = (list: readonly MembershipWindow[]) => ({
      ...showMembership('role_person', { ...membership, assignedAt }),
      fields: { windows: list.map((window) => ({ ...window })) },
    });
    record(changed(show(current), show(windows)));
  });
  return {};
}

/** In the specification, adding is idempotent, and removing needs an existing membership. */
async function remove(
  { store }: Context,
  named: Named,
  kind: Kind,
  membership: Membership,
  erase: (executor: Executor, role: string, member: string) => Promise<DeletedMembership | undefined>,
): Promise<Nothing> {
  await store.write(['membership'], async (executor, record) => {
    const erased = await erase(executor, membership.role, membership.member);
    if (erased !== undefined) {
      record([deleted(showMembership(kind, { ...membership, ...erased }))]);
      return;
    }
    await requireExisting(executor, named);
    const member = kind === 'role_person' ? 'person' : 'data source';
    throw new Refusal('not_found', `the ${member} ${membership.member} is not in the role ${membership.role}`);
  });
  return {};
}
