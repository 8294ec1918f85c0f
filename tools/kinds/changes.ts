import type { KindName } from '@rolecall/crds';

/**
 * The effect of a new value of a field, in the words of that column. A test gives each field of an
 * applied definition a new value, and compares the plan with this.
 */
export const effects = {
  edited: 'one call changes it',
  version: 'a new version',
  another: 'another object',
  window: 'a new grant',
  members: 'grants and revokes',
  none: 'no call',
} as const;

export type Effect = keyof typeof effects;

/** The fields of every kind but Workspace. */
export const commonEffects: Readonly<Record<string, Effect>> = {
  workspaceRef: 'another',
  deletionPolicy: 'none',
  managementPolicy: 'none',
};

/** By kind and field of the spec. */
export const fieldEffects: Readonly<Record<KindName, Readonly<Record<string, Effect>>>> = {
  Workspace: { url: 'none', credentialsFrom: 'none', caFile: 'none', exact: 'none', rails: 'none', overrides: 'none' },
  DataSource: { alias: 'another', name: 'edited', uri: 'edited', passwordFrom: 'edited' },
  Person: { username: 'another', name: 'edited', email: 'edited', locked: 'edited', ignore: 'none' },
  Role: {
    name: 'another',
    people: 'members',
    dataSources: 'members',
    dataSourceSelector: 'members',
    roles: 'members',
    reason: 'none',
    owner: 'none',
  },
  RoleMembership: {
    role: 'another',
    person: 'another',
    dataSource: 'another',
    startsAt: 'edited',
    expiresAt: 'edited',
    duration: 'edited',
    reason: 'none',
    owner: 'none',
  },
  Permission: {
    person: 'another',
    dataSource: 'another',
    startsAt: 'window',
    expiresAt: 'window',
    duration: 'window',
    reason: 'none',
  },
  Snippet: {
    name: 'another',
    description: 'version',
    text: 'version',
    textFrom: 'version',
    owner: 'another',
    publicAccessLevel: 'edited',
    locked: 'edited',
  },
};
