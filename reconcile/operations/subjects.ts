import type { DeclarableKind } from '@rolecall/api';
import type { ExactCollection } from '@rolecall/crds';
import type { KindName, ListedKind, MemberKind } from '../model/desired.ts';
import type { Parameter } from '../model/step.ts';

/** A kind of thing that operations are about. */
interface Subject {
  /** The kind of its definitions. */
  readonly kind: KindName;
  readonly collection: ExactCollection;
  /** The parameters of the path that identify it. */
  readonly parameters: readonly [Parameter, Parameter?];
  /** The field by which people tell it from others, which the service has once each. */
  readonly name?: 'username' | 'name' | 'alias';
  /** The kind of a role's member. */
  readonly member?: MemberKind;
}

export const subjects = {
  person: { kind: 'Person', collection: 'people', parameters: ['person'], name: 'username' },
  role: { kind: 'Role', collection: 'roles', parameters: ['role'], name: 'name' },
  data_source: { kind: 'DataSource', collection: 'dataSources', parameters: ['dataSource'], name: 'alias' },
  permission: { kind: 'Permission', collection: 'permissions', parameters: ['permission'] },
  snippet: { kind: 'Snippet', collection: 'snippets', parameters: ['snippet'] },
  role_person: {
    kind: 'RoleMembership',
    collection: 'memberships',
    parameters: ['role', 'person'],
    member: 'Person',
  },
  role_data_source: {
    kind: 'RoleMembership',
    collection: 'memberships',
    parameters: ['role', 'dataSource'],
    member: 'DataSource',
  },
} as const satisfies Record<DeclarableKind, Subject>;

/** The subject that an object of each kind is. */
export const subjectOfKind = {
  Person: 'person',
  Role: 'role',
  DataSource: 'data_source',
  Permission: 'permission',
  Snippet: 'snippet',
} as const satisfies Record<ListedKind, DeclarableKind>;

/** The subject that a membership of each kind of member is. */
export const subjectOfMembership = {
  Person: 'role_person',
  DataSource: 'role_data_source',
} as const satisfies Record<MemberKind, DeclarableKind>;

/** The same as `subjects`, typed for code that handles any subject. */
export const subjectTable: Readonly<Record<DeclarableKind, Subject>> = subjects;
