import { maxDurationSeconds, type Permission, type PermissionWindow } from '@rolecall/api';
import { changed, created, deleted, type Shown } from '../audit/change.ts';
import { showPermission } from '../audit/show.ts';
import { invalidFields, notFound } from '../refusal.ts';
import { mapInTurns } from '../store/batches.ts';
import {
  dataSourcePermissionPages,
  deleteDataSourcePermissions,
  deletePairPermissions,
  deletePermission,
  deletePersonPermissions,
  insertPermission,
  listedPersonPermissionPages,
  pairPermissionPages,
  permissionPages,
  permissionPagesOn,
  updatePermission,
} from '../store/permission.ts';
import type { Executor } from '../store/store.ts';
import { existingPermission, listOf, type Named, requireExisting } from './existing.ts';
import type { Handlers, RequestStore } from './handler.ts';

export const permissionHandlers = {
  createPermission: async ({ params, body }, { store, clock }) => {
    const createdAt = clock().toISOString();
    const startsAt = body.startsAt ?? createdAt;
    const expiresAt = endOf(startsAt, body.duration);
    return store.create(['permission'], async (executor, record) => {
      await requireExisting(executor, params);
      const grant = await insertPermission(executor, { ...params, startsAt, expiresAt, createdAt });
      record([created(showPermission({ ...grant, personId: params.person, dataSourceId: params.dataSource }))]);
      return grant;
    });
  },

  getPermission: async ({ params }, { store }) => {
    const permission = await store.read((executor) => existingPermission(executor, params.permission));
    const { startsAt: _notSpecified, ...shown } = permission;
    return shown;
  },

  listPermissions: async (_request, { lists }) => lists.list('permission', permissionPages, permissionPagesOn),

  listPersonPermissions: async ({ params }, { store }) =>
    listOf(store, params, listedPersonPermissionPages(params.person)),

  listDataSourcePermissions: async ({ params }, { store }) =>
    listOf(store, params, dataSourcePermissionPages(params.dataSource)),

  listPairPermissions: async ({ params }, { store }) =>
    listOf(store, params, pairPermissionPages(params.person, params.dataSource)),

  updatePermission: async ({ params, body }, { store }) =>
    store.write(['permission'], async (executor, record) => {
      const current = await existingPermission(executor, params.permission);
      const { startsAt = current.startsAt, expiresAt = current.expiresAt, duration } = body;
      const end = duration === undefined ? expiresAt : endOf(startsAt, duration);
      requireWindow(startsAt, end);
      const permission = { ...current, startsAt, expiresAt: end };
      const changes = changed(showWindow(current), showWindow(permission));
      if (changes.length > 0) await updatePermission(executor, permission);
      record(changes);
      return permission;
    }),

  deletePermission: async ({ params }, { store }) => {
    await store.write(['permission'], async (executor, record) => {
      const permission = await deletePermission(executor, params.permission);
      if (permission === undefined) throw notFound('permission', params.permission);
      record([deleted(showPermission(permission))]);
    });
    return {};
  },

  deletePersonPermissions: async ({ params }, { store }) =>
    deleteAll(store, params, (executor) => deletePersonPermissions(executor, params.person)),

  deleteDataSourcePermissions: async ({ params }, { store }) =>
    deleteAll(store, params, (executor) => deleteDataSourcePermissions(executor, params.dataSource)),

  deletePairPermissions: async ({ params }, { store }) =>
    deleteAll(store, params, (executor) => deletePairPermissions(executor, params.person, params.dataSource)),
} satisfies Partial<Handlers>;

async function deleteAll(
  store: RequestStore,
  named: Named,
  remove: (executor: Executor) => Promise<PermissionWindow[]>,
): Promise<{ count: number }> {
  return store.write(['permission'], async (executor, record) => {
    await requireExisting(executor, named);
    const changes = await mapInTurns(remove(executor), (permission) => deleted(showPermission(permission)));
    record(changes);
    return { count: changes.length };
  });
}

function showWindow({ id, person, dataSource, startsAt, expiresAt }: Permission): Shown {
  return showPermission({ id, personId: person.id, dataSourceId: dataSource.id, startsAt, expiresAt });
}

/** Holds a moved window to what a new permission may have. @throws Refusal */
function requireWindow(startsAt: string, expiresAt: string): void {
  const length = Date.parse(expiresAt) - Date.parse(startsAt);
  if (length > 0 && length % 1000 === 0 && length <= maxDurationSeconds * 1000) return;
  const message = 'must be a whole number of seconds after startsAt: at least 1, and at most 3153600000';
  throw invalidFields([{ path: 'expiresAt', message }]);
}

/** The last instant that a timestamp can write. */
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z');

/** @param duration in seconds */
function endOf(startsAt: string, duration: number): string {
  const end = Date.parse(startsAt) + duration * 1000;
  if (end <= lastInstant) return new Date(end).toISOString();
  throw invalidFields([{ path: 'duration', message: 'must end the permission before the year 10000' }]);
}
