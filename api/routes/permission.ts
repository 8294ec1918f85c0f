import { z } from 'zod';
import { count, emptyObject } from '../fields.ts';
import { dataSourceId } from '../resources/data-source.ts';
import {
  newPermission,
  permissionEnd,
  permissionGrant,
  permissionId,
  permissionSchema,
  permissionWindow,
} from '../resources/permission.ts';
import { personId } from '../resources/person.ts';
import { defineRoutes } from '../route.ts';

const params = z.strictObject({ permission: permissionId });
const pair = z.strictObject({ dataSource: dataSourceId, person: personId });
const pairPath = '/api/v2/data-source/:dataSource/permission/person/:person';

export const permissionRoutes = defineRoutes('Permissions', {
  createPermission: {
    method: 'POST',
    path: pairPath,
    summary: 'Grant a person a data source for a time',
    description: 'Active for `duration` seconds from `startsAt`, by default now.',
    scope: 'write',
    limitedKeys: 'path',
    params: pair,
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
    params,
    answer: emptyObject,
    changes: 'getPermission',
  },
  deletePairPermissions: {
    method: 'DELETE',
    path: pairPath,
    summary: 'Delete all permissions of a person on a data source',
    scope: 'write',
    limitedKeys: 'path',
    params: pair,
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
    params: pair,
    answer: z.array(permissionWindow),
  },
  getPermission: {
    method: 'GET',
    path: '/api/v2/permission/:permission',
    summary: 'Get a permission',
    scope: 'read',
    limitedKeys: 'object',
    params,
    answer: permissionEnd,
  },
});
