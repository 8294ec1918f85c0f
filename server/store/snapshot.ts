/** What a snapshot of the workspace shows otherwise than the lists: by identifiers, and data sources with their sealed URI. */

import type { Snapshot } from '@rolecall/api';
import { readCollectionVersions } from './collection-version.ts';
import { listDataSources, type SealedDataSource } from './data-source.ts';
import { windowOf } from './membership-window.ts';
import { type Pages, tablePages } from './pages.ts';
import { listPeople, toPerson } from './person.ts';
import { listRoles, toRole } from './role.ts';
import type { Collection, Executor } from './store.ts';

/** How many rows are read at once. A snapshot has many pages, and each other request may have to wait for one. */
const snapshotRows = 150;

const shown = ['data_source', 'person', 'role', 'membership', 'permission'] as const satisfies readonly Collection[];

/** Identifies what a snapshot shows, by the number of changes to each collection, and by what the service was started with. */
export async function snapshotState(
  executor: Executor,
  withSnippets: boolean,
  adminRole: string | undefined,
): Promise<string> {
  const versions = await readCollectionVersions(executor);
  const collections: readonly Collection[] = withSnippets ? [...shown, 'snippet'] : shown;
  const state = collections.map((name) => `${name} ${versions.get(name) ?? 'unknown'}`).join(' ');
  return `snapshot 3 ${state} ${JSON.stringify(adminRole ?? null)}`;
}

export const sealedDataSourcePages: Pages<SealedDataSource> = tablePages(
  (db, after) => listDataSources(db, after).select('sealed_uri as sealedUri'),
  ({ seq: _order, ...row }) => row,
  snapshotRows,
);

export const snapshotPeoplePages = tablePages(listPeople, toPerson, snapshotRows);

export const snapshotRolePages = tablePages(listRoles, toRole, snapshotRows);

export const allRolePeoplePages: Pages<Snapshot['rolePeople'][number]> = tablePages(
  (db, after) =>
    db
      .selectFrom('role_person')
      .select(['seq', 'role_id as roleId', 'person_id as personId', 'assigned_at as assignedAt'])
      .where('seq', '>', after)
      .orderBy('seq'),
  ({ seq: _order, ...row }) => row,
  snapshotRows,
);

export const allRoleWindowPages: Pages<NonNullable<Snapshot['roleWindows']>[number]> = tablePages(
  (db, after) =>
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
      .orderBy('seq'),
  ({ roleId, personId, ...window }) => ({ roleId, personId, ...windowOf(window) }),
  snapshotRows,
);

export const allRoleDataSourcePages: Pages<Snapshot['roleDataSources'][number]> = tablePages(
  (db, after) =>
    db
      .selectFrom('role_data_source')
      .select(['seq', 'role_id as roleId', 'data_source_id as dataSourceId', 'assigned_at as assignedAt'])
      .where('seq', '>', after)
      .orderBy('seq'),
  ({ seq: _order, ...row }) => row,
  snapshotRows,
);

export const flatPermissionPages: Pages<Snapshot['permissions'][number]> = tablePages(
  (db, after) =>
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
      .orderBy('id'),
  ({ seq, ...row }) => ({ id: String(seq), ...row }),
  snapshotRows,
);
