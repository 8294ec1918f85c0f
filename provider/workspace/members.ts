/** People and data sources as members of roles. */

import { dataSourceKey, personKey } from '@rolecall/reconcile';

/** Collection of a workspace whose objects are members of roles. */
export type MemberCollection = 'people' | 'dataSources';

/** Form in which a resource has the members of a role: all of them, or one. */
export type Form = 'list' | 'single';

/** Members of one kind: their words, their resources and the attributes of these. */
export interface MemberKind {
  /** The kind as the engine calls it. */
  readonly kind: 'Person' | 'DataSource';
  readonly noun: 'person' | 'data source';
  readonly plural: 'people' | 'data sources';
  readonly collection: MemberCollection;
  readonly key: (name: string) => string;
  /** True if a membership may be for a time. */
  readonly hasTimes: boolean;
  /** The resource of a member itself. */
  readonly type: string;
  /** The resources of memberships. */
  readonly types: Readonly<Record<Form, string>>;
  /** The attribute of a single membership that refers to its member, and that of a list. */
  readonly memberId: string;
  readonly memberIds: string;
}

export const personMember: MemberKind = {
  kind: 'Person',
  noun: 'person',
  plural: 'people',
  collection: 'people',
  key: personKey,
  hasTimes: true,
  type: 'rolecall_person',
  types: { list: 'rolecall_role_people', single: 'rolecall_role_person' },
  memberId: 'person_id',
  memberIds: 'person_ids',
};

export const dataSourceMember: MemberKind = {
  kind: 'DataSource',
  noun: 'data source',
  plural: 'data sources',
  collection: 'dataSources',
  key: dataSourceKey,
  hasTimes: false,
  type: 'rolecall_data_source',
  types: { list: 'rolecall_role_data_sources', single: 'rolecall_role_data_source' },
  memberId: 'data_source_id',
  memberIds: 'data_source_ids',
};

/** A number of members: `1 person`, `2 people`. */
export function counted(number: number, { noun, plural }: MemberKind): string {
  return `${number} ${number === 1 ? noun : plural}`;
}

/** The identifier of a membership: both ids. */
export const membershipId = (role: string, member: string): string => `${role}/${member}`;

/** A membership as an object of the ledger. */
export function membershipOf({ types }: MemberKind, role: string, member: string) {
  const id = membershipId(role, member);
  return { type: types.single, id, what: `the membership ${id}` };
}
