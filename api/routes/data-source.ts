import { z } from 'zod';
import { count, emptyObject } from '../fields.ts';
import {
  connectionTest,
  dataSourceChange,
  dataSourceDetail,
  dataSourceId,
  dataSourceSchema,
  newDataSource,
} from '../resources/data-source.ts';
import { editorSchema } from '../resources/editor.ts';
import { permissionWindow } from '../resources/permission.ts';
import { newQuery, queryStarted } from '../resources/query.ts';
import { roleAssignment } from '../resources/role.ts';
import { defineRoutes } from '../route.ts';

const params = z.strictObject({ dataSource: dataSourceId });
const path = '/api/v2/data-source/:dataSource';

export const dataSourceRoutes = defineRoutes('Data sources', {
  createDataSource: {
    method: 'POST',
    path: '/api/v2/data-source',
    summary: 'Create a data source',
    scope: 'write',
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
    params,
    body: { encoding: 'form', schema: dataSourceChange },
    answer: dataSourceDetail,
    changes: 'getDataSource',
    problems: ['alias_taken'],
  },
  deleteDataSource: {
    method: 'DELETE',
    path,
    summary: 'Delete a data source',
    description: 'Takes its memberships, permissions, editors and queries along.',
    scope: 'write',
    params,
    answer: emptyObject,
    changes: 'getDataSource',
  },
  deleteDataSourcePermissions: {
    method: 'DELETE',
    path: `${path}/permission`,
    summary: 'Delete all permissions on a data source',
    scope: 'write',
    params,
    answer: count,
    changes: 'listDataSourcePermissions',
  },
  listDataSources: {
    method: 'GET',
    path: '/api/v2/data-source',
    summary: 'List data sources',
    scope: 'read',
    answer: z.array(dataSourceSchema),
  },
  getDataSource: {
    method: 'GET',
    path,
    summary: 'Get a data source',
    scope: 'read',
    params,
    answer: dataSourceSchema,
  },
  getDataSourceDetail: {
    method: 'GET',
    path: `${path}/detail`,
    summary: 'Get a data source with its password',
    scope: 'admin',
    params,
    answer: dataSourceDetail,
  },
  testDataSource: {
    method: 'POST',
    path: `${path}/test`,
    summary: 'Test the connection of a data source',
    description: 'Connects for real; a connection that fails is a normal answer, with the reason.',
    scope: 'write',
    params,
    answer: connectionTest,
  },
  executeCommands: {
    method: 'POST',
    path: `${path}/execute`,
    summary: 'Execute commands on a data source',
    description: 'Begins a query, which runs the commands in a single transaction.',
    scope: 'admin',
    params,
    body: { encoding: 'json', schema: newQuery },
    answer: queryStarted,
    creates: true,
  },
  listDataSourceEditors: {
    method: 'GET',
    path: `${path}/editor`,
    summary: 'List the editors on a data source',
    scope: 'read',
    params,
    answer: z.array(editorSchema),
  },
  listDataSourcePermissions: {
    method: 'GET',
    path: `${path}/permission`,
    summary: 'List the permissions on a data source',
    scope: 'read',
    params,
    answer: z.array(permissionWindow),
  },
  listDataSourceRoles: {
    method: 'GET',
    path: `${path}/role`,
    summary: 'List the roles that a data source is in',
    scope: 'read',
    params,
    answer: z.array(roleAssignment),
  },
});
