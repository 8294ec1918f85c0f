/** Differences between a snapshot of the workspace and the lists: identifiers, and data sources with their sealed URI. */

import type { Declarations, Snapshot } from '@rolecall/api';
import { type SqlBool, sql } from 'kysely';
import { readCollectionVersions } from './collection-version.ts';
import { listDataSources, type SealedDataSource } from './data-source.ts';
import { windowOf } from './membership-window.ts';
import { type Pages, tablePages } from './pages.ts';
import { listPeople, toPerson } from './person.ts';
import { listRoles, toRole } from './role.ts';
import { statement } from './statement.ts';
import type { Collection, Executor } from './store.ts';

/** Rows that are read at once. A snapshot has many pages, and each other request may have to wait for one. */
const snapshotRows = 150;

const shown = ['data_source', 'person', 'role', 'membership', 'permission'] as const satisfies readonly Collection[];

/** Parts that a snapshot shows on request. */
export interface Asked {
  readonly withSnippets: boolean;
  /** The manager whose definitions it shows. */
  readonly declaredBy: string | undefined;
}

/** Identifies what a snapshot shows, by the number of changes to each collection, and by what the service was started with. */
export async function snapshotState(
  executor: Executor,
  { withSnippets, declaredBy }: Asked,
  adminRole: string | undefined,
): Promise<string> {
  const versions = await readCollectionVersions(executor);
  const collections: Collection[] = [...shown];
  if (withSnippets) collections.push('snippet');
  if (declaredBy !== undefined) collections.push('declaration');
  const state = collections.map((name) => `${name} ${versions.get(name) ?? 'unknown'}`).join(' ');
  const manager = declaredBy === undefined ? '' : ` ${JSON.stringify(declaredBy)}`;
  return `snapshot 3 ${state} ${JSON.stringify(adminRole ?? null)}${manager}`;
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

type Definition = Declarations['definitions'][number];
type Position = Pick<Definition, 'kind' | 'id' | 'definition'>;

const definitions = statement<{ manager: string; kind: string; id: string; definition: string }>()(
  (db, { manager, kind, id, definition }) =>
    db
      .selectFrom('declaration')
      .select([
        'kind',
        'id',
        'definition',
        'is_kept as isKept',
        sql<number>`case when exists (select 1 from declaration as other where other.kind = declaration.kind
          and other.id = declaration.id and other.manager <> declaration.manager) then 1 else 0 end`.as('isShared'),
      ])
      .where('manager', '=', manager)
      .where(sql<SqlBool>`(kind, id, definition) > (${kind}, ${id}, ${definition})`)
      .orderBy('kind')
      .orderBy('id')
      .orderBy('definition')
      .limit(snapshotRows),
);

/** Lists the objects that the definitions of a manager stand for. */
export function definitionPages(manager: string): Pages<Definition, Position | typeof noPosition> {
  return {
    start: noPosition,
    read: async (executor, { kind, id, definition }) => {
      const rows = await executor.all(definitions, { manager, kind, id, definition });
      return {
        rows: rows.map(({ isKept, isShared, ...row }) => ({ ...row, isKept: isKept === 1, isShared: isShared === 1 })),
        next: rows.length < snapshotRows ? undefined : rows.at(-1),
      };
    },
  };
}

const noPosition = { kind: '', id: '', definition: '' } as const;
