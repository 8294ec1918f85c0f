import type { OperationId } from '@rolecall/api';

/** The readings of a view that an operation makes stale, by name; `all` where what falls along is not known. */
export function collectionsOf(operation: OperationId, request: unknown): readonly string[] | 'all' {
  const {
    role = '',
    dataSource = '',
    snippet = '',
  } = (request as { readonly params?: Readonly<Record<string, string>> }).params ?? {};
  switch (operation) {
    case 'createPerson':
    case 'lockPerson':
    case 'unlockPerson':
      return ['people'];
    case 'createRole':
      return ['roles'];
    case 'createDataSource':
    case 'updateDataSource':
      return ['dataSources', `dataSourceDetail ${dataSource}`];
    case 'addRolePerson':
    case 'removeRolePerson':
      return [`rolePeople ${role}`];
    case 'addRoleDataSource':
    case 'removeRoleDataSource':
      return [`roleDataSources ${role}`];
    case 'createPermission':
    case 'deletePermission':
      return ['permissions'];
    case 'createSnippet':
    case 'deleteSnippet':
    case 'updateSnippet':
    case 'lockSnippet':
    case 'unlockSnippet':
    case 'createSnippetVersion':
    case 'activateSnippetVersion':
      return ['snippets', `snippetVersions ${snippet}`];
    case 'deletePerson':
    case 'deleteRole':
    case 'deleteDataSource':
      return 'all';
    default:
      return [];
  }
}
