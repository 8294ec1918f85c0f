import type { PermissionWindow, RoleAssignment } from '@rolecall/api';
import { dataSourceEditorPages, personEditorPages } from '../store/editor.ts';
import { dataSourceRolePages, personRolePages, roleDataSourcePages, rolePeoplePages } from '../store/membership.ts';
import { readAll } from '../store/pages.ts';
import { dataSourcePermissionPages, personPermissionPages } from '../store/permission.ts';
import { selectQueriesOf } from '../store/query.ts';
import { type DescribedSnippet, selectPersonSnippets, selectRoleSnippets } from '../store/snippet.ts';
import { selectSnippetVersions, selectVersionsBy } from '../store/snippet-version.ts';
import type { Executor } from '../store/store.ts';
import { changed, deleted } from './change.ts';
import type { Change } from './entry.ts';
import { showEditor, showMembership, showPermission, showSnippet } from './show.ts';

/** What the store takes along when it deletes an object, or changes because of it: asked before the deletion. */

export async function fallenWithPerson(executor: Executor, id: string): Promise<Change[]> {
  return [
    ...memberships('role_person', id, await readAll(executor, personRolePages(id))),
    ...permissions(await readAll(executor, personPermissionPages(id))),
    ...(await readAll(executor, personEditorPages(id))).map((editor) => deleted(showEditor(editor))),
    ...ownerless(await selectPersonSnippets(executor, id)),
    ...(await selectVersionsBy(executor, id)).map(
      (version): Change => ({
        kind: 'snippet_version',
        id: version.id,
        name: version.name,
        action: 'changed',
        before: { createdBy: id },
        after: { createdBy: null },
      }),
    ),
  ];
}

export async function fallenWithRole(executor: Executor, id: string): Promise<Change[]> {
  const people = await readAll(executor, rolePeoplePages(id));
  const dataSources = await readAll(executor, roleDataSourcePages(id));
  return [
    ...people.map(({ id: member, assignedAt }) =>
      deleted(showMembership('role_person', { role: id, member, assignedAt })),
    ),
    ...dataSources.map(({ id: member, assignedAt }) =>
      deleted(showMembership('role_data_source', { role: id, member, assignedAt })),
    ),
    ...ownerless(await selectRoleSnippets(executor, id)),
  ];
}

export async function fallenWithDataSource(executor: Executor, id: string): Promise<Change[]> {
  return [
    ...memberships('role_data_source', id, await readAll(executor, dataSourceRolePages(id))),
    ...permissions(await readAll(executor, dataSourcePermissionPages(id))),
    ...(await readAll(executor, dataSourceEditorPages(id))).map((editor) => deleted(showEditor(editor))),
    ...(await selectQueriesOf(executor, id)).map((query) => deletedQuery(query, id)),
  ];
}

export async function fallenWithSnippet(executor: Executor, id: string): Promise<Change[]> {
  const versions = await selectSnippetVersions(executor, id);
  return versions.map(({ id: version, name }) => ({
    kind: 'snippet_version',
    id: version,
    name,
    action: 'deleted',
    before: { snippet: id, name },
  }));
}

function deletedQuery(id: string, dataSource: string): Change {
  return { kind: 'query', id, action: 'deleted', before: { dataSource } };
}

function memberships(
  kind: 'role_person' | 'role_data_source',
  member: string,
  roles: readonly RoleAssignment[],
): Change[] {
  return roles.map(({ id: role, assignedAt }) => deleted(showMembership(kind, { role, member, assignedAt })));
}

function permissions(windows: readonly PermissionWindow[]): Change[] {
  return windows.map((window) => deleted(showPermission(window)));
}

function ownerless(snippets: readonly DescribedSnippet[]): Change[] {
  return snippets.flatMap((snippet) =>
    changed(showSnippet(snippet), showSnippet({ ...snippet, ownerPerson: null, ownerRole: null })),
  );
}
