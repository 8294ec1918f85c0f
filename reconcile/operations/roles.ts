import { idOf } from '../model/step.ts';
import { indexRoleDataSources, indexRolePeople } from '../view/collection.ts';
import { dropRolesOfPeople } from './kept-readings.ts';
import { changes, creates, deletes, noAccess, type Rows, takesAccess } from './operation.ts';
import { exists } from './proof.ts';

export const roles: Rows<'createRole' | 'updateRole' | 'deleteRole'> = {
  createRole: {
    ...creates('role'),
    access: noAccess,
    proof: ({ id, name }, client) =>
      exists(client.call('getRole', { params: { role: id } }), (now) => now.name === name),
    outcome: (facts, { makes = '', body: { name } }) =>
      facts.roles.set(makes, { name, people: new Map(), dataSources: new Set() }),
    take: (kept, { answer: role }) => {
      kept.get('roles')?.put(role);
      // A role that was just made has no members.
      kept.set(`rolePeople ${role.id}`, indexRolePeople([]));
      kept.set(`roleDataSources ${role.id}`, indexRoleDataSources([]));
    },
  },
  updateRole: {
    ...changes('role'),
    access: noAccess,
    outcome: (facts, { params, body }) => {
      const role = facts.roles.get(idOf(params.role));
      if (role !== undefined) role.name = body.name ?? role.name;
    },
    take: (kept, { answer }) => {
      kept.get('roles')?.put(answer);
      dropRolesOfPeople(kept);
      kept.drop('snippets');
    },
  },
  deleteRole: {
    ...deletes('role', { members: true, snippets: 'ownerRole' }),
    access: takesAccess('role'),
    outcome: (facts, { params }) => facts.roles.delete(idOf(params.role)),
    take: (kept, { step, resolve }) => {
      const role = resolve(step.params.role);
      kept.get('roles')?.remove(role);
      for (const name of [`rolePeople ${role}`, `roleDataSources ${role}`]) kept.drop(name);
      dropRolesOfPeople(kept);
    },
  },
};
