/** References to the person and the data source that a row belongs to. */

import type { DataSourceReference, PersonReference } from '@rolecall/api';

export const personColumns = [
  'person.id as personId',
  'person.name as personName',
  'person.username',
  'person.email',
] as const;

export const dataSourceColumns = [
  'data_source.id as dataSourceId',
  'data_source.name as dataSourceName',
  'data_source.alias',
] as const;

export interface PersonColumns {
  readonly personId: string;
  readonly personName: string;
  readonly username: string;
  readonly email: string;
}

/** The columns of a person who may be absent, as a left join gives them. */
export type MaybePerson = { readonly [column in keyof PersonColumns]: string | null };

export interface DataSourceColumns {
  readonly dataSourceId: string;
  readonly dataSourceName: string;
  readonly alias: string | null;
}

export function personReference({ personId, personName, username, email }: PersonColumns): PersonReference {
  return { id: personId, name: personName, username, email };
}

export function personOrNull({ personId, username, email, personName }: MaybePerson): PersonReference | null {
  if (personId === null || username === null || email === null || personName === null) return null;
  return { id: personId, username, email, name: personName };
}

export function dataSourceReference({ dataSourceId, dataSourceName, alias }: DataSourceColumns): DataSourceReference {
  return { id: dataSourceId, name: dataSourceName, alias };
}
