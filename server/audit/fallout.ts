import { mapInTurns } from '../store/batches.ts';
import { deleteDataSourceEditors, deletePersonEditors } from '../store/editor.ts';
import { deleteDataSourcePasswords, deletePersonPasswords } from '../store/gateway-password.ts';
import {
  deleteDataSourceRoles,
  deletePersonRoles,
  deleteRoleDataSources,
  deleteRolePeople,
} from '../store/membership.ts';
import { deleteDataSourcePermissions, deletePersonPermissions } from '../store/permission.ts';
import { deleteQueriesOf, disownEditorQueries, disownPersonQueries } from '../store/query.ts';
import { disownPersonSnippets, disownRoleSnippets } from '../store/snippet.ts';
import { deleteSnippetVersions, disownVersions } from '../store/snippet-version.ts';
import type { Executor } from '../store/store.ts';
import { deleted, type Shown } from './change.ts';
import type { Change } from './entry.ts';
import { showEditor, showMembership, showPermission } from './show.ts';

/**
 * Deletes what belongs to an object, before the object itself. The database would do it too, but in one statement, which with
 * many rows holds up the event loop.
 */

export async function deleteWithPerson(executor: Executor, id: string): Promise<Change[]> {
  // Entries show no query's person or editor, so that these are no changes of their own.
  await disownPersonQueries(executor, id);
  await disownEditorQueries(executor, id);
  await deletePersonPasswords(executor, id);
  return [
    ...(await mapInTurns(deletePersonRoles(executor, id), (row) => along(showMembership('role_person', row)))),
    ...(await mapInTurns(deletePersonPermissions(executor, id), (row) => along(showPermission(row)))),
    ...(await mapInTurns(deletePersonEditors(executor, id), (row) => along(showEditor(row)))),
    ...(await mapInTurns(disownPersonSnippets(executor, id), (row) => without('snippet', row, 'ownerPerson', id))),
    ...(await mapInTurns(disownVersions(executor, id), (row) => without('snippet_version', row, 'createdBy', id))),
  ];
}

export async function deleteWithRole(executor: Executor, id: string): Promise<Change[]> {
  return [
    ...(await mapInTurns(deleteRolePeople(executor, id), (row) => along(showMembership('role_person', row)))),
    ...(await mapInTurns(deleteRoleDataSources(executor, id), (row) => along(showMembership('role_data_source', row)))),
    ...(await mapInTurns(disownRoleSnippets(executor, id), (row) => without('snippet', row, 'ownerRole', id))),
  ];
}

export async function deleteWithDataSource(executor: Executor, id: string): Promise<Change[]> {
  await deleteDataSourcePasswords(executor, id);
  return [
    ...(await mapInTurns(deleteDataSourceRoles(executor, id), (row) => along(showMembership('role_data_source', row)))),
    ...(await mapInTurns(deleteDataSourcePermissions(executor, id), (row) => along(showPermission(row)))),
    ...(await mapInTurns(deleteQueriesOf(executor, id), (query) =>
      along({ kind: 'query', id: query, fields: { dataSource: id } }),
    )),
    ...(await mapInTurns(deleteDataSourceEditors(executor, id), (row) => along(showEditor(row)))),
  ];
}

export async function deleteWithSnippet(executor: Executor, id: string): Promise<Change[]> {
  return mapInTurns(deleteSnippetVersions(executor, id), ({ id: version, name }) =>
    along({ kind: 'snippet_version', id: version, name, fields: { snippet: id, name } }),
  );
}

function along(shown: Shown): Change {
  return { ...deleted(shown), along: true };
}

function without(kind: Shown['kind'], object: { id: string; name: string }, field: string, owner: string): Change {
  return { kind, ...object, action: 'changed', before: { [field]: owner }, after: { [field]: null }, along: true };
}
