import { z } from 'zod';
import { count, emptyObject } from '../fields.ts';
import {
  newPermission,
  permissionChange,
  permissionEnd,
  permissionGrant,
  permissionSchema,
  permissionWindow,
} from '../resources/permission.ts';
import { defineRoutes } from '../route.ts';

const pairPath = '/api/v2/data-source/:dataSource/permission/person/:person';

export const permissionRoutes = defineRoutes('Permissions', {
  createPermission: {
    method: 'POST',
    path: pairPath,
    summary: 'Grant a person a data source for a time',
    description: 'Active for `duration` seconds from `startsAt`, by default now.',
    scope: 'write',
    limitedKeys: 'path',
    body: { encoding: 'form', schema: newPermission },
    answer: permissionGrant,
    creates: true,
  },
  updatePermission: {
    method: 'PATCH',
    path: '/api/v2/permission/:permission',
    summary: 'Move the start or the end of a permission',
    description: 'Changes only the fields that are sent. Whoever works with the data source goes on until the new end.',
    scope: 'write',
    limitedKeys: 'object',
    body: { encoding: 'form', schema: permissionChange },
    answer: permissionSchema,
    changes: 'getPermission',
  },
  deletePermission: {
    method: 'DELETE',
    path: '/api/v2/permission/:permission',
    summary: 'Delete a permission',
    scope: 'write',
    limitedKeys: 'object',
    answer: emptyObject,
    changes: 'getPermission',
  },
  deletePairPermissions: {
    method: 'DELETE',
    path: pairPath,
    summary: 'Delete all permissions of a person on a data source',
    scope: 'write',
    limitedKeys: 'path',
    answer: count,
    changes: 'listPairPermissions',
  },
  listPermissions: {
    method: 'GET',
    path: '/api/v2/permission',
    summary: 'List permissions',
    description: 'Expired permissions stay listed until they are deleted.',
    scope: 'read',
    limitedKeys: 'list',
    answer: z.array(permissionSchema),
  },
  listPairPermissions: {
    method: 'GET',
    path: pairPath,
    summary: 'List the permissions of a person on a data source',
    scope: 'read',
    limitedKeys: 'path',
    answer: z.array(permissionWindow),
  },
  getPermission: {
    method: 'GET',
    path: '/api/v2/permission/:permission',
    summary: 'Get a permission',
    scope: 'read',
    limitedKeys: 'object',
    answer: permissionEnd,
  },
});
