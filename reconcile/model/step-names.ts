import type { OperationId } from '@rolecall/api';

/** The operations that steps call. No plan can make a run call another one, not even a plan written by hand. */
export const stepOperations = [
  'createDataSource',
  'updateDataSource',
  'deleteDataSource',
  'createPerson',
  'updatePerson',
  'lockPerson',
  'unlockPerson',
  'deletePerson',
  'createRole',
  'updateRole',
  'deleteRole',
  'addRolePerson',
  'setRolePersonWindows',
  'removeRolePerson',
  'addRoleDataSource',
  'removeRoleDataSource',
  'createPermission',
  'updatePermission',
  'deletePermission',
  'createSnippet',
  'updateSnippet',
  'lockSnippet',
  'unlockSnippet',
  'deleteSnippet',
  'createSnippetVersion',
  'activateSnippetVersion',
] as const satisfies readonly OperationId[];
export type StepOperation = (typeof stepOperations)[number];

/** The effects of a step on access, in the order in which a reviewer cares. */
export const effects = ['create', 'change', 'grant', 'revoke', 'replace', 'remove'] as const;
export type Effect = (typeof effects)[number];

/** The rails, which refuse. */
export const railNames = [
  'ambiguous',
  'missing-reference',
  'still-referenced',
  'declared-twice',
  'email-taken',
  'username-taken',
  'role-name-taken',
  'alias-taken',
  'window-past',
  'window-too-long',
  'password-undeclared',
  'not-editable',
  'protected',
  'last-member',
  'removal-share',
  'critical',
  'first-removal',
  'other-origin',
] as const;
export type RailName = (typeof railNames)[number];

/** Codes that programs decide by. The message of a note is for people. */
export const noteCodes = ['undetermined', 'kept-by-runs'] as const;
