import { z } from 'zod';
import { count, emptyObject } from '../fields.ts';
import {
  newPermission,
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
