/** What a snapshot of the workspace shows otherwise than the lists: by identifiers, and data sources with their sealed URI. */

import type { Snapshot } from '@rolecall/api';
import { readCollectionVersions } from './collection-version.ts';
import type { SealedDataSource } from './data-source.ts';
import { windowOf } from './membership-window.ts';
import { type Pages, rowPages } from './pages.ts';
import { listPeople, toPerson } from './person.ts';
import { listRoles, toRole } from './role.ts';
import { statement } from './statement.ts';
import type { Collection, Executor } from './store.ts';

/** How many rows are read at once. A snapshot has many pages, and each other request may have to wait for one. */
const snapshotRows = 150;

const shown = ['data_source', 'person', 'role', 'membership', 'permission'] as const satisfies readonly Collection[];

/** Identifies what a snapshot shows, by the number of changes to each collection. */
export async function snapshotState(executor: Executor, withSnippets: boolean): Promise<string> {
  const versions = await readCollectionVersions(executor);
  const collections: readonly Collection[] = withSnippets ? [...shown, 'snippet'] : shown;
  return `snapshot 2 ${collections.map((name) => `${name} ${versions.get(name) ?? 'unknown'}`).join(' ')}`;
}

const dataSources = statement<{ after: number }>()((db, { after }) =>
  db
    .selectFrom('data_source')
    .select([
      'seq',
      'id',
      'name',
      'alias',
      'type',
      'shown_uri as configUri',
      'created_at as createdAt',
      'updated_at as updatedAt',
      'sealed_uri as sealedUri',
    ])
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(snapshotRows),
);

export const sealedDataSourcePages: Pages<SealedDataSource> = rowPages(
  dataSources,
  {},
  ({ seq: _order, ...row }) => ({
    ...row,
    // The service writes only types of connection URIs into the column.
    type: row.type as SealedDataSource['type'],
  }),
  snapshotRows,
);

const people = statement<{ after: number }>()((db, { after }) => listPeople(db, after).limit(snapshotRows));

export const snapshotPeoplePages = rowPages(people, {}, toPerson, snapshotRows);

const roles = statement<{ after: number }>()((db, { after }) => listRoles(db, after).limit(snapshotRows));

export const snapshotRolePages = rowPages(roles, {}, toRole, snapshotRows);

const rolePeople = statement<{ after: number }>()((db, { after }) =>
  db
    .selectFrom('role_person')
    .select(['seq', 'role_id as roleId', 'person_id as personId', 'assigned_at as assignedAt'])
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(snapshotRows),
);

export const allRolePeoplePages: Pages<Snapshot['rolePeople'][number]> = rowPages(
  rolePeople,
  {},
  ({ seq: _order, ...row }) => row,
  snapshotRows,
);

const roleWindows = statement<{ after: number }>()((db, { after }) =>
  db
    .selectFrom('role_person_window')
    .select([
      'seq',
      'role_id as roleId',
      'person_id as personId',
      'starts_at as windowStartsAt',
      'expires_at as windowExpiresAt',
    ])
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(snapshotRows),
);

export const allRoleWindowPages: Pages<NonNullable<Snapshot['roleWindows']>[number]> = rowPages(
  roleWindows,
  {},
  ({ roleId, personId, ...window }) => ({ roleId, personId, ...windowOf(window) }),
  snapshotRows,
);

const roleDataSources = statement<{ after: number }>()((db, { after }) =>
  db
    .selectFrom('role_data_source')
    .select(['seq', 'role_id as roleId', 'data_source_id as dataSourceId', 'assigned_at as assignedAt'])
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(snapshotRows),
);

export const allRoleDataSourcePages: Pages<Snapshot['roleDataSources'][number]> = rowPages(
  roleDataSources,
  {},
  ({ seq: _order, ...row }) => row,
  snapshotRows,
);

const permissions = statement<{ after: number }>()((db, { after }) =>
  db
    .selectFrom('permission')
    .select([
      'id as seq',
      'person_id as personId',
      'data_source_id as dataSourceId',
      'starts_at as startsAt',
      'expires_at as expiresAt',
      'created_at as createdAt',
    ])
    .where('id', '>', after)
    .orderBy('id')
    .limit(snapshotRows),
);

export const flatPermissionPages: Pages<Snapshot['permissions'][number]> = rowPages(
  permissions,
  {},
  ({ seq, ...row }) => ({ id: String(seq), ...row }),
  snapshotRows,
);
