import { type OperationId, routeTable } from '@rolecall/api';
import type { makers } from './make.ts';
import type { TestService } from './service.ts';

export type Ids = Record<string, string>;

/** Makes one of everything that a path can name; gives the identifiers by the names of the path parameters. */
export async function populate(service: TestService, make: ReturnType<typeof makers>): Promise<Ids> {
  const person = await make.person();
  const source = await make.dataSource();
  const role = await make.role();
  const permission = await make.permission(source.id, person.id);
  const snippet = await make.snippet();
  const version = await make.version(snippet.id);
  const editor = await make.editor(person, source);
  await service.ok('PUT', `/role/${role.id}/person/${person.id}`);
  await service.ok('PUT', `/role/${role.id}/data-source/${source.id}`);
  const message = await service.ok('POST', `/editor/${editor.id}/message`, { json: { title: 'Note', message: 'x' } });
  return {
    person: person.id,
    dataSource: source.id,
    role: role.id,
    permission: permission.id,
    snippet: snippet.id,
    snippetVersion: version.id,
    editor: editor.id,
    messageId: String(message['id']),
  };
}

/** The path of an operation for objects that there are. */
export function pathOf(id: OperationId, ids: Ids): string {
  return routeTable[id].path.replace(/:([A-Za-z]+)/g, (_colon, name: string) => ids[name] ?? name);
}

let count = 0;

/** A valid body of each operation that makes something; a new one each time. */
export function newBody(id: OperationId): Record<string, unknown> {
  count += 1;
  const name = `new${count}`;
  switch (id) {
    case 'createPerson':
      return { name, username: name, email: `${name}@example.com` };
    case 'createDataSource':
      return { name, alias: name, configUri: `postgresql://ada:planted-secret-${count}@db.internal/billing` };
    case 'updatePerson':
    case 'updateRole':
      return { name };
    case 'updatePermission':
      return { duration: 60 + count };
    case 'createRole':
      return { name };
    case 'createPermission':
      return { duration: 60 + count, startsAt: '2030-01-01T00:00:00.000Z' };
    case 'createSnippet':
      return { name, description: '', text: 'select 1', isLocked: false, publicAccessLevel: 'none', owner: 'none' };
    case 'createSnippetVersion':
      return { name, description: '', text: 'select 2' };
    case 'createEditorMessage':
      return { title: name, message: 'x' };
    case 'executeCommands':
      return { commands: [`select ${count}`] };
    case 'compareSnapshot':
      return { key: 'A'.repeat(43), passwords: {} };
    case 'setRolePersonWindows':
      return { windows: [{ startsAt: '2030-01-01T00:00:00.000Z' }] };
    case 'recordDeclarations':
      return { origin: name };
    case 'takeLease':
      return { holder: name, seconds: 60 };
    case 'renewLease':
      return { seconds: 60 };
    case 'invitePerson':
      return { delivery: 'link' };
    default:
      throw new Error(`${id} makes nothing`);
  }
}
