import { changed, created, deleted } from '../audit/change.ts';
import { deleteWithRole } from '../audit/fallout.ts';
import { showRole } from '../audit/show.ts';
import { laterThan } from '../clock.ts';
import { newId } from '../ids.ts';
import { deleteRole, insertRole, rolePages, updateRole } from '../store/role.ts';
import { existingRole } from './existing.ts';
import type { Handlers } from './handler.ts';

export const roleHandlers = {
  createRole: async ({ body }, { store, clock }) => {
    const now = clock().toISOString();
    const role = { id: newId(), ...body, createdAt: now, updatedAt: now };
    return store.create(['role'], async (executor, record) => {
      await insertRole(executor, role);
      record([created(showRole(role))]);
      return role;
    });
  },

  listRoles: async (_request, { lists }) => lists.list('role', rolePages),

  getRole: async ({ params }, { store }) => store.read((executor) => existingRole(executor, params.role)),

  // Snippets show the role that owns them.
  updateRole: async ({ params, body }, { store, clock }) =>
    store.write(['role', 'snippet'], async (executor, record) => {
      const current = await existingRole(executor, params.role);
      const { name = current.name } = body;
      if (name === current.name) return current;
      const role = { ...current, name, updatedAt: laterThan(current.updatedAt, clock) };
      await updateRole(executor, role);
      record(changed(showRole(current), showRole(role)));
      return role;
    }),

  deleteRole: async ({ params }, { store }) => {
    await store.write(['role', 'snippet'], async (executor, record) => {
      const role = await existingRole(executor, params.role);
      const fallen = await deleteWithRole(executor, params.role);
      await deleteRole(executor, params.role);
      record([deleted(showRole(role)), ...fallen]);
    });
    return {};
  },
} satisfies Partial<Handlers>;
