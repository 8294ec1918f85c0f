import {
  type ListedSnippet,
  type Permission,
  type Person,
  type Role,
  type DataSource as WireDataSource,
} from '@rolecall/api';
import type { Described } from '../plugin/framework/list.ts';
import type { ObjectValue, Value } from '../plugin/values/value.ts';
import { accessLevel, dataSourceType } from '../resources/shared/attributes.ts';

/** An attribute of an object, and where its value is. */
interface Field<T> extends Described {
  readonly read: (object: T) => Value;
}

/** An object of the workspace as data sources show it, by the names of its attributes. */
export type Shape<T> = Readonly<Record<string, Field<T>>>;

/** The values of an object. */
export function write<T>(shape: Shape<T>, object: T): ObjectValue {
  return Object.fromEntries(Object.entries(shape).map(([name, { read }]) => [name, read(object)]));
}

function text<T>(description: string, read: (object: T) => string | null): Field<T> {
  return { type: 'string', description, read };
}

function flag<T>(description: string, read: (object: T) => boolean): Field<T> {
  return { type: 'bool', description, read };
}

const created = text('When it was created (RFC 3339).', ({ createdAt }: { createdAt: string }) => createdAt);

export const personShape: Shape<Person> = {
  id: text('The identifier of the person.', ({ id }) => id),
  username: text('The name that the person signs in with.', ({ username }) => username),
  name: text('The full name.', ({ name }) => name),
  email: text('The e-mail address.', ({ email }) => email),
  locked: flag('Whether the person is kept out of the workspace.', ({ isLocked }) => isLocked),
  created_at: created,
};

export const roleShape: Shape<Role> = {
  id: text('The identifier of the role.', ({ id }) => id),
  name: text('The name.', ({ name }) => name),
  created_at: created,
};

export const dataSourceShape: Shape<WireDataSource> = {
  id: text('The identifier of the data source.', ({ id }) => id),
  alias: text('The short name; null when it has none.', ({ alias }) => alias),
  name: text('The name that people are shown.', ({ name }) => name),
  type: {
    ...text('`postgresql`, `mysql`, `mariadb` or `sqlite`.', ({ type }: WireDataSource) => type),
    check: dataSourceType,
  },
  uri: text('The connection URI, reduced to user, host and port.', ({ configUri }) => configUri),
  created_at: created,
  updated_at: text('When it was last changed (RFC 3339).', ({ updatedAt }) => updatedAt),
};

export const permissionShape: Shape<Permission> = {
  id: text('The identifier of the permission.', ({ id }) => id),
  person_id: text('The identifier of the person.', ({ person }) => person.id),
  username: text('The username of the person.', ({ person }) => person.username),
  data_source_id: text('The identifier of the data source.', ({ dataSource }) => dataSource.id),
  alias: text('The alias of the data source; null when it has none.', ({ dataSource }) => dataSource.alias),
  starts_at: text('When access begins (RFC 3339).', ({ startsAt }) => startsAt),
  expires_at: text('When access ends (RFC 3339).', ({ expiresAt }) => expiresAt),
  created_at: created,
};

export const snippetShape: Shape<ListedSnippet> = {
  id: text('The identifier of the snippet.', ({ id }) => id),
  name: text('The name of the version in use.', ({ activeVersion }) => activeVersion.name),
  description: text('What it is for.', ({ activeVersion }) => activeVersion.description),
  text: text('The text of the version in use.', ({ activeVersion }) => activeVersion.text),
  owner_person_id: text(
    'The identifier of the person who owns it, or null.',
    ({ ownerPerson }) => ownerPerson?.id ?? null,
  ),
  owner_role_id: text('The identifier of the role that owns it, or null.', ({ ownerRole }) => ownerRole?.id ?? null),
  public_access_level: {
    ...text('What people other than the owner may do with it.', (snippet: ListedSnippet) => snippet.publicAccessLevel),
    check: accessLevel,
  },
  locked: flag('Whether only the owner may work with it.', ({ isLocked }) => isLocked),
  active_version_id: text('The identifier of the version in use.', ({ activeVersion }) => activeVersion.id),
  created_at: created,
};
