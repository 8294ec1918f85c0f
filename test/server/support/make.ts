import type { DataSourceDetail, Editor, PermissionGrant, Person, Role, Snippet, SnippetVersion } from '@rolecall/api';
import { seedEditors } from '@rolecall/server';
import type { TestService } from './service.ts';

let count = 0;

/** Makes things through the API, each with names of its own. */
export function makers(service: TestService) {
  const unique = () => {
    count += 1;
    return count;
  };
  return {
    person: (fields: Record<string, string> = {}) => {
      const name = `person${unique()}`;
      const form = { name: 'Ada Lovelace', username: name, email: `${name}@example.com`, ...fields };
      return service.ok<Person>('POST', '/person', { form });
    },
    dataSource: (fields: Record<string, string> = {}) => {
      const alias = `source${unique()}`;
      const form = { name: 'Billing', alias, configUri: `sqlite:///tmp/${alias}.db`, ...fields };
      return service.ok<DataSourceDetail>('POST', '/data-source', { form });
    },
    role: (name = `role${unique()}`) => service.ok<Role>('POST', '/role', { form: { name } }),
    permission: (dataSource: string, person: string, form: Record<string, string> = { duration: '3600' }) =>
      service.ok<PermissionGrant>('POST', `/data-source/${dataSource}/permission/person/${person}`, { form }),
    snippet: (fields: Record<string, string> = {}) => {
      const form = {
        name: 'Top customers',
        description: 'Revenue',
        text: 'select 1',
        isLocked: 'false',
        publicAccessLevel: 'none',
        owner: 'none',
        ...fields,
      };
      return service.ok<Snippet>('POST', '/snippet', { form });
    },
    version: (snippet: string, fields: Record<string, string> = {}) => {
      const form = { name: 'Top ten', description: '', text: 'select 2', ...fields };
      return service.ok<SnippetVersion>('POST', `/snippet/${snippet}/version`, { form });
    },
    /** An editor, which no call of the API opens. */
    editor: async (person: Person, dataSource: DataSourceDetail, tabs = [{ title: 'One', text: 'select 1' }]) => {
      await seedEditors({
        ...service.store,
        entries: [{ person: person.username, dataSource: dataSource.alias, tabs }],
      });
      const editors = await service.ok<Editor[]>('GET', `/person/${person.id}/editor`);
      const editor = editors.find((one) => one.dataSource.id === dataSource.id);
      if (editor === undefined) throw new Error('the editor was not made');
      return editor;
    },
  };
}
