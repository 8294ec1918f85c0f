import { z } from 'zod';
import { count, emptyObject } from '../fields.ts';
import { dataSourceReference } from '../resources/data-source.ts';
import { editorSchema } from '../resources/editor.ts';
import { personPermission } from '../resources/permission.ts';
import { newPerson, personChange, personSchema } from '../resources/person.ts';
import { roleAssignment } from '../resources/role.ts';
import { defineRoutes } from '../route.ts';

const path = '/api/v2/person/:person';

export const personRoutes = defineRoutes('People', {
  createPerson: {
    method: 'POST',
    path: '/api/v2/person',
    summary: 'Create a person',
    scope: 'write',
    limitedKeys: 'refused',
    body: { encoding: 'form', schema: newPerson },
    answer: personSchema,
    creates: true,
    problems: ['username_taken', 'email_taken'],
  },
  updatePerson: {
    method: 'PATCH',
    path,
    summary: 'Edit a person',
    description:
      'Changes only the fields that are sent. The person keeps what they have: memberships, permissions, editors, sessions and factors.',
    scope: 'write',
    limitedKeys: 'refused',
    body: { encoding: 'form', schema: personChange },
    answer: personSchema,
    changes: 'getPerson',
    problems: ['username_taken', 'email_taken'],
  },
  deletePerson: {
    method: 'DELETE',
    path,
    summary: 'Delete a person, who must be locked',
    description: "Also deletes the person's memberships, permissions and editors. Their snippets lose their owner.",
    scope: 'write',
    limitedKeys: 'refused',
    answer: emptyObject,
    changes: 'getPerson',
    problems: ['person_not_locked'],
  },
  deletePersonPermissions: {
    method: 'DELETE',
    path: `${path}/permission`,
    summary: 'Delete all permissions of a person',
    scope: 'write',
    limitedKeys: 'refused',
    answer: count,
    changes: 'listPersonPermissions',
  },
  disableTwoFactor: {
    method: 'DELETE',
    path: `${path}/two-factor`,
    summary: "Disable a person's two-factor authentication",
    description: 'Also ends all sessions of the person. Succeeds if it is already disabled.',
    scope: 'write',
    limitedKeys: 'refused',
    answer: emptyObject,
    changes: 'getPerson',
  },
  listPeople: {
    method: 'GET',
    path: '/api/v2/person',
    summary: 'List people',
    scope: 'read',
    limitedKeys: 'open',
    answer: z.array(personSchema),
  },
  getPerson: {
    method: 'GET',
    path,
    summary: 'Get a person',
    scope: 'read',
    limitedKeys: 'open',
    answer: personSchema,
  },
  listPersonDataSources: {
    method: 'GET',
    path: `${path}/data-source`,
    summary: 'List the data sources that a person can reach now',
    description: 'Access comes from a role, or from a permission that is active now.',
    scope: 'read',
    limitedKeys: 'refused',
    answer: z.array(dataSourceReference),
  },
  listPersonEditors: {
    method: 'GET',
    path: `${path}/editor`,
    summary: 'List the editors of a person',
    scope: 'read',
    limitedKeys: 'refused',
    answer: z.array(editorSchema),
  },
  listPersonPermissions: {
    method: 'GET',
    path: `${path}/permission`,
    summary: 'List the permissions of a person',
    scope: 'read',
    limitedKeys: 'refused',
    answer: z.array(personPermission),
  },
  listPersonRoles: {
    method: 'GET',
    path: `${path}/role`,
    summary: 'List the roles that a person is in',
    scope: 'read',
    limitedKeys: 'refused',
    answer: z.array(roleAssignment),
  },
  lockPerson: {
    method: 'PUT',
    path: `${path}/lock`,
    summary: 'Lock a person',
    description: 'Succeeds if the person is already locked.',
    scope: 'write',
    limitedKeys: 'refused',
    answer: emptyObject,
    changes: 'getPerson',
  },
  unlockPerson: {
    method: 'PUT',
    path: `${path}/unlock`,
    summary: 'Unlock a person',
    description: 'Succeeds if the person is already unlocked.',
    scope: 'write',
    limitedKeys: 'refused',
    answer: emptyObject,
    changes: 'getPerson',
  },
});
