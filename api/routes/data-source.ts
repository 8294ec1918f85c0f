import { z } from 'zod';
import { count, emptyObject } from '../fields.ts';
import {
  connectionTest,
  dataSourceChange,
  dataSourceDetail,
  dataSourceSchema,
  newDataSource,
} from '../resources/data-source.ts';
import { editorSchema } from '../resources/editor.ts';
import { permissionWindow } from '../resources/permission.ts';
import { newQuery, queryStarted } from '../resources/query.ts';
import { roleAssignment } from '../resources/role.ts';
import { defineRoutes } from '../route.ts';

const path = '/api/v2/data-source/:dataSource';

export const dataSourceRoutes = defineRoutes('Data sources', {
  createDataSource: {
    method: 'POST',
    path: '/api/v2/data-source',
    summary: 'Create a data source',
    scope: 'write',
    limitedKeys: 'refused',
    body: { encoding: 'form', schema: newDataSource },
    answer: dataSourceDetail,
    creates: true,
    problems: ['alias_taken'],
  },
  updateDataSource: {
    method: 'POST',
    path,
    summary: 'Update a data source',
    description: 'Changes only the fields that are sent.',
    scope: 'write',
    limitedKeys: 'refused',
    body: { encoding: 'form', schema: dataSourceChange },
    answer: dataSourceDetail,
    changes: 'getDataSource',
    problems: ['alias_taken'],
  },
  deleteDataSource: {
    method: 'DELETE',
    path,
    summary: 'Delete a data source',
    description: 'Also deletes its memberships, permissions, editors and queries.',
    scope: 'write',
    limitedKeys: 'refused',
    answer: emptyObject,
    changes: 'getDataSource',
  },
  deleteDataSourcePermissions: {
    method: 'DELETE',
    path: `${path}/permission`,
    summary: 'Delete all permissions on a data source',
    scope: 'write',
    limitedKeys: 'path',
    answer: count,
    changes: 'listDataSourcePermissions',
  },
  listDataSources: {
    method: 'GET',
    path: '/api/v2/data-source',
    summary: 'List data sources',
    scope: 'read',
    limitedKeys: 'list',
    answer: z.array(dataSourceSchema),
  },
  getDataSource: {
    method: 'GET',
    path,
    summary: 'Get a data source',
    scope: 'read',
    limitedKeys: 'path',
    answer: dataSourceSchema,
  },
  getDataSourceDetail: {
    method: 'GET',
    path: `${path}/detail`,
    summary: 'Get a data source with its password',
    scope: 'admin',
    limitedKeys: 'refused',
    answer: dataSourceDetail,
    problems: ['audit_trail_broken', 'storage_full'],
  },
  testDataSource: {
    method: 'POST',
    path: `${path}/test`,
    summary: 'Test the connection of a data source',
    description: 'Really connects. A failed connection is a normal answer that gives the reason.',
    scope: 'write',
    limitedKeys: 'path',
    answer: connectionTest,
  },
  executeCommands: {
    method: 'POST',
    path: `${path}/execute`,
    summary: 'Execute commands on a data source',
    description: 'Starts a query that runs the commands in a single transaction.',
    scope: 'admin',
    limitedKeys: 'path',
    body: { encoding: 'json', schema: newQuery },
    answer: queryStarted,
    creates: true,
  },
  listDataSourceEditors: {
    method: 'GET',
    path: `${path}/editor`,
    summary: 'List the editors on a data source',
    scope: 'read',
    limitedKeys: 'path',
    answer: z.array(editorSchema),
  },
  listDataSourcePermissions: {
    method: 'GET',
    path: `${path}/permission`,
    summary: 'List the permissions on a data source',
    scope: 'read',
    limitedKeys: 'path',
    answer: z.array(permissionWindow),
  },
  listDataSourceRoles: {
    method: 'GET',
    path: `${path}/role`,
    summary: 'List the roles that a data source is in',
    scope: 'read',
    limitedKeys: 'path',
    answer: z.array(roleAssignment),
  },
});
