import {
  type ListedSnippet,
  type Permission,
  type Person,
  type Role,
  type DataSource as WireDataSource,
} from '@rolecall/api';
import type { Attribute } from '../plugin/framework/schema.ts';
import type { ObjectValue } from '../plugin/values/value.ts';
import { accessLevel, dataSourceType } from '../resources/shared/attributes.ts';

/** An object of the workspace as data sources show it: the names and types of its attributes, and their values. */
export interface Shape<T> {
  readonly attributes: Readonly<Record<string, Pick<Attribute, 'type' | 'description' | 'check'>>>;
  readonly write: (object: T) => ObjectValue;
}

const text = (description: string) => ({ type: 'string', description }) as const;
const flag = (description: string) => ({ type: 'bool', description }) as const;
const created = text('When it was created (RFC 3339).');

export const personShape: Shape<Person> = {
  attributes: {
    id: text('The identifier of the person.'),
    username: text('The name that the person signs in with.'),
    name: text('The full name.'),
    email: text('The e-mail address.'),
    locked: flag('Whether the person is kept out of the workspace.'),
    created_at: created,
  },
  write: ({ id, username, name, email, isLocked, createdAt }) => ({
    id,
    username,
    name,
    email,
    locked: isLocked,
    created_at: createdAt,
  }),
};

export const roleShape: Shape<Role> = {
  attributes: { id: text('The identifier of the role.'), name: text('The name.'), created_at: created },
  write: ({ id, name, createdAt }) => ({ id, name, created_at: createdAt }),
};

export const dataSourceShape: Shape<WireDataSource> = {
  attributes: {
    id: text('The identifier of the data source.'),
    alias: text('The short name; null when it has none.'),
    name: text('The name that people are shown.'),
    type: { ...text('`postgresql`, `mysql`, `mariadb` or `sqlite`.'), check: dataSourceType },
    uri: text('The connection URI, reduced to user, host and port.'),
    created_at: created,
    updated_at: text('When it was last changed (RFC 3339).'),
  },
  write: ({ id, alias, name, type, configUri, createdAt, updatedAt }) => ({
    id,
    alias,
    name,
    type,
    uri: configUri,
    created_at: createdAt,
    updated_at: updatedAt,
  }),
};

export const permissionShape: Shape<Permission> = {
  attributes: {
    id: text('The identifier of the permission.'),
    person_id: text('The identifier of the person.'),
    username: text('The username of the person.'),
    data_source_id: text('The identifier of the data source.'),
    alias: text('The alias of the data source; null when it has none.'),
    starts_at: text('When access begins (RFC 3339).'),
    expires_at: text('When access ends (RFC 3339).'),
    created_at: created,
  },
  write: ({ id, person, dataSource, startsAt, expiresAt, createdAt }) => ({
    id,
    person_id: person.id,
    username: person.username,
    data_source_id: dataSource.id,
    alias: dataSource.alias,
    starts_at: startsAt,
    expires_at: expiresAt,
    created_at: createdAt,
  }),
};

export const snippetShape: Shape<ListedSnippet> = {
  attributes: {
    id: text('The identifier of the snippet.'),
    name: text('The name of the version in use.'),
    description: text('What it is for.'),
    text: text('The text of the version in use.'),
    owner_person_id: text('The identifier of the person who owns it, or null.'),
    owner_role_id: text('The identifier of the role that owns it, or null.'),
    public_access_level: { ...text('What people other than the owner may do with it.'), check: accessLevel },
    locked: flag('Whether only the owner may work with it.'),
    active_version_id: text('The identifier of the version in use.'),
    created_at: created,
  },
  write: ({ id, activeVersion, ownerPerson, ownerRole, publicAccessLevel, isLocked, createdAt }) => ({
    id,
    name: activeVersion.name,
    description: activeVersion.description,
    text: activeVersion.text,
    owner_person_id: ownerPerson?.id ?? null,
    owner_role_id: ownerRole?.id ?? null,
    public_access_level: publicAccessLevel,
    locked: isLocked,
    active_version_id: activeVersion.id,
    created_at: createdAt,
  }),
};
