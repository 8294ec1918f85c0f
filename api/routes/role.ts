import { z } from 'zod';
import { emptyObject } from '../fields.ts';
import { newRole, newRoleWindows, roleDataSource, rolePerson, roleSchema } from '../resources/role.ts';
import { defineRoutes } from '../route.ts';

const path = '/api/v2/role/:role';

export const roleRoutes = defineRoutes('Roles', {
  createRole: {
    method: 'POST',
    path: '/api/v2/role',
    summary: 'Create a role',
    scope: 'write',
    limitedKeys: 'refused',
    body: { encoding: 'form', schema: newRole },
    answer: roleSchema,
    creates: true,
    problems: ['role_name_taken'],
  },
  listRoles: {
    method: 'GET',
    path: '/api/v2/role',
    summary: 'List roles',
    scope: 'read',
    limitedKeys: 'refused',
    answer: z.array(roleSchema),
  },
  getRole: {
    method: 'GET',
    path,
    summary: 'Get a role',
    scope: 'read',
    limitedKeys: 'refused',
    answer: roleSchema,
  },
  deleteRole: {
    method: 'DELETE',
    path,
    summary: 'Delete a role',
    description: 'Also deletes its memberships. Its snippets lose their owner.',
    scope: 'write',
    limitedKeys: 'refused',
    answer: emptyObject,
    changes: 'getRole',
  },
  addRoleDataSource: {
    method: 'PUT',
    path: `${path}/data-source/:dataSource`,
    summary: 'Add a data source to a role',
    description: 'Succeeds if it is already in the role.',
    scope: 'write',
    limitedKeys: 'refused',
    answer: emptyObject,
    changes: 'listRoleDataSources',
  },
  removeRoleDataSource: {
    method: 'DELETE',
    path: `${path}/data-source/:dataSource`,
    summary: 'Remove a data source from a role',
    scope: 'write',
    limitedKeys: 'refused',
    answer: emptyObject,
    changes: 'listRoleDataSources',
  },
  listRoleDataSources: {
    method: 'GET',
    path: `${path}/data-source`,
    summary: 'List the data sources in a role',
    scope: 'read',
    limitedKeys: 'refused',
    answer: z.array(roleDataSource),
  },
  addRolePerson: {
    method: 'PUT',
    path: `${path}/person/:person`,
    summary: 'Add a person to a role',
    description:
      'Succeeds if the person is already in the role. Windows that the membership had end: it holds from now on.',
    scope: 'write',
    limitedKeys: 'refused',
    answer: emptyObject,
    changes: 'listRolePeople',
  },
  setRolePersonWindows: {
    method: 'PUT',
    path: `${path}/person/:person/windows`,
    summary: 'Let a person have a role at certain times',
    description:
      'Adds the person to the role if they are not in it. The service begins and ends their access at these times by itself. An addition to the specification.',
    scope: 'write',
    limitedKeys: 'refused',
    body: { encoding: 'json', schema: newRoleWindows },
    answer: emptyObject,
    changes: 'listRolePeople',
  },
  removeRolePerson: {
    method: 'DELETE',
    path: `${path}/person/:person`,
    summary: 'Remove a person from a role',
    scope: 'write',
    limitedKeys: 'refused',
    answer: emptyObject,
    changes: 'listRolePeople',
  },
  listRolePeople: {
    method: 'GET',
    path: `${path}/person`,
    summary: 'List the people in a role',
    scope: 'read',
    limitedKeys: 'refused',
    answer: z.array(rolePerson),
  },
});
