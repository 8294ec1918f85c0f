import type { KindName } from '@rolecall/crds';

/**
 * The effect of a new value of a field, in the words of that column. A test gives each field of an
 * applied definition a new value, and compares the plan with this.
 */
export const effects = {
  edited: 'one call changes it',
  version: 'a new version',
  another: 'another object',
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
  Workspace: {
    set: 'none',
    url: 'none',
    credentialsFrom: 'none',
    caFile: 'none',
    exact: 'none',
    rails: 'none',
    overrides: 'none',
  },
  DataSource: { alias: 'edited', name: 'edited', uri: 'edited', passwordFrom: 'edited' },
  Person: { username: 'edited', name: 'edited', email: 'edited', locked: 'edited', ignore: 'none' },
  Role: {
    name: 'edited',
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
    startsAt: 'edited',
    expiresAt: 'edited',
    duration: 'edited',
    reason: 'none',
  },
  Snippet: {
    name: 'version',
    description: 'version',
    text: 'version',
    textFrom: 'version',
    owner: 'edited',
    publicAccessLevel: 'edited',
    locked: 'edited',
  },
};
