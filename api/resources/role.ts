import { z } from 'zod';
import { line, named, shortId, timestamp } from '../fields.ts';
import { longestName } from '../text-rules.ts';
import { dataSourceAlias, dataSourceId, dataSourceName } from './data-source.ts';
import { personEmail, personId, personName, username } from './person.ts';

export const roleId = shortId('r5Hj1pZc9VdC').describe('identifier of the role');
export const roleName = line(longestName, 'analysts').describe('unique name');

const assignedAt = timestamp().describe('when the membership was created');

export const roleSchema = z
  .object({ id: roleId, name: roleName, createdAt: timestamp(), updatedAt: timestamp() })
  .meta({ id: 'Role', description: 'A named group of people and data sources.' });

export const roleReference = z
  .object({ id: roleId, name: roleName })
  .meta({ id: 'RoleReference', description: 'A role, as another resource refers to it.' });

/** A role in the list of a person's or data source's roles. */
export const roleAssignment = z
  .object({ id: roleId, name: roleName, assignedAt })
  .meta({ id: 'RoleAssignment', description: 'A role that a person or data source is in.' });

export const rolePerson = z
  .object({ id: personId, username, email: personEmail, name: personName, assignedAt })
  .meta({ id: 'RolePerson', description: 'A person in a role.' });

export const roleDataSource = z
  .object({ id: dataSourceId, name: dataSourceName, alias: dataSourceAlias, assignedAt })
  .meta({ id: 'RoleDataSource', description: 'A data source in a role.' });

/** The request to create a role. */
export const newRole = z.strictObject({ name: named(roleName) });

export type Role = z.output<typeof roleSchema>;
export type RoleAssignment = z.output<typeof roleAssignment>;
export type RolePerson = z.output<typeof rolePerson>;
export type RoleDataSource = z.output<typeof roleDataSource>;
