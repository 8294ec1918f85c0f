import assert from 'node:assert/strict';
import { it } from 'node:test';
import type {
  DataSource,
  DataSourceDetail,
  Editor,
  EditorMessage,
  ListedSnippet,
  ListedSnippetVersion,
  Permission,
  Person,
  Role,
  RolePerson,
} from '@rolecall/api';
import { type ListedEntry, listAudit, verifyAudit } from '@rolecall/server';
import fc from 'fast-check';
import { makers } from '../support/make.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** What a step does, and which of the objects that there are it takes. */
interface Step {
  operation: string;
  one: number;
  other: number;
}

type Ids = Record<'person' | 'dataSource' | 'role' | 'permission' | 'snippet' | 'editor', string[]>;
type Make = ReturnType<typeof makers>;
type Act = (service: TestService, make: Make, pick: (kind: keyof Ids, index?: 'other') => string) => Promise<unknown>;

const wrong = 'x'.repeat(12);

/** Most fail now and then, on what is not there: then they must leave nothing in the trail. */
const acts: Record<string, Act> = {
  createPerson: (_service, make) => make.person(),
  createSamePerson: (service) =>
    service.call('POST', '/person', { form: { name: 'Same', username: 'same', email: 'same@example.com' } }),
  editPerson: (service, _make, pick) =>
    service.call('PATCH', `/person/${pick('person')}`, { json: { name: `Renamed ${Math.random()}` } }),
  takeName: (service, _make, pick) =>
    service.call('PATCH', `/person/${pick('person')}`, { json: { username: 'same', email: 'same@example.com' } }),
  lock: (service, _make, pick) => service.call('PUT', `/person/${pick('person')}/lock`),
  unlock: (service, _make, pick) => service.call('PUT', `/person/${pick('person')}/unlock`),
  deletePerson: (service, _make, pick) => service.call('DELETE', `/person/${pick('person')}`),
  twoFactor: (service, _make, pick) => service.call('DELETE', `/person/${pick('person')}/two-factor`),
  createDataSource: (_service, make) => make.dataSource(),
  updateDataSource: (service, _make, pick) =>
    service.call('POST', `/data-source/${pick('dataSource')}`, {
      form: { name: `Renamed ${Math.random()}`, configUri: 'postgresql://ada:pass-in-uri@db.internal/billing' },
    }),
  deleteDataSource: (service, _make, pick) => service.call('DELETE', `/data-source/${pick('dataSource')}`),
  createRole: (_service, make) => make.role(),
  renameRole: (service, _make, pick) =>
    service.call('PATCH', `/role/${pick('role')}`, { json: { name: `renamed ${Math.random()}` } }),
  deleteRole: (service, _make, pick) => service.call('DELETE', `/role/${pick('role')}`),
  addPerson: (service, _make, pick) => service.call('PUT', `/role/${pick('role')}/person/${pick('person', 'other')}`),
  removePerson: (service, _make, pick) =>
    service.call('DELETE', `/role/${pick('role')}/person/${pick('person', 'other')}`),
  addDataSource: (service, _make, pick) =>
    service.call('PUT', `/role/${pick('role')}/data-source/${pick('dataSource', 'other')}`),
  removeDataSource: (service, _make, pick) =>
    service.call('DELETE', `/role/${pick('role')}/data-source/${pick('dataSource', 'other')}`),
  grant: (service, _make, pick) =>
    service.call('POST', `/data-source/${pick('dataSource')}/permission/person/${pick('person', 'other')}`, {
      form: { duration: '60' },
    }),
  movePermission: (service, _make, pick) =>
    service.call('PATCH', `/permission/${pick('permission')}`, { json: { duration: 120 } }),
  deletePermission: (service, _make, pick) => service.call('DELETE', `/permission/${pick('permission')}`),
  deletePairs: (service, _make, pick) =>
    service.call('DELETE', `/data-source/${pick('dataSource')}/permission/person/${pick('person', 'other')}`),
  deletePersonPermissions: (service, _make, pick) => service.call('DELETE', `/person/${pick('person')}/permission`),
  deleteSourcePermissions: (service, _make, pick) =>
    service.call('DELETE', `/data-source/${pick('dataSource')}/permission`),
  createSnippet: (service, _make, pick) =>
    service.call('POST', '/snippet', {
      form: {
        name: 'Of a person',
        description: '',
        text: 'select 1',
        isLocked: 'false',
        publicAccessLevel: 'none',
        owner: 'person',
        ownerPersonId: pick('person'),
        createdByPersonId: pick('person', 'other'),
      },
    }),
  createRoleSnippet: (_service, make, pick) =>
    make.snippet({ owner: 'role', ownerRoleId: pick('role') }).catch(() => undefined),
  createVersion: (_service, make, pick) => make.version(pick('snippet')).catch(() => undefined),
  activate: async (service, _make, pick) => {
    const versions = await service.call('GET', `/snippet/${pick('snippet')}/version`);
    if (versions.status !== 200) return;
    const last = (versions.body as ListedSnippetVersion[]).at(-1);
    await service.call('PUT', `/snippet/${pick('snippet')}/version/${last?.id ?? ''}`);
  },
  lockSnippet: (service, _make, pick) => service.call('PUT', `/snippet/${pick('snippet')}/lock`),
  updateSnippet: (service, _make, pick) =>
    service.call('POST', `/snippet/${pick('snippet')}`, { form: { publicAccessLevel: 'manage', owner: 'none' } }),
  deleteSnippet: (service, _make, pick) => service.call('DELETE', `/snippet/${pick('snippet')}`),
  seed: async (service, make, pick) => {
    const person = await service.call('GET', `/person/${pick('person')}`);
    const source = await service.call('GET', `/data-source/${pick('dataSource', 'other')}`);
    if (person.status !== 200 || source.status !== 200) return;
    // Either may be deleted in the meantime.
    await make.editor(person.body as Person, source.body as DataSourceDetail).catch(() => undefined);
  },
  message: (service, _make, pick) =>
    service.call('POST', `/editor/${pick('editor')}/message`, { json: { title: 'Note', message: 'Read this' } }),
};

it('gives, played back, what the API lists, after whatever operations', async () => {
  const step = fc.record({
    operation: fc.constantFrom(...Object.keys(acts)),
    one: fc.nat(1000),
    other: fc.nat(1000),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 60, maxLength: 120, size: 'max' }), async (steps) => {
      const service = await startTestService();
      const make = makers(service);
      try {
        await populate(make);
        // Several at a time, so that some come into one group of writes.
        for (let at = 0; at < steps.length; at += 3) {
          const ids = await listIds(service);
          await Promise.all(steps.slice(at, at + 3).map((one) => perform(one, service, make, ids)));
        }
        await compare(service);
        await deleteWithAllThatHangsOnIt(service, make);
        await compare(service);
      } finally {
        await service.close();
      }
    }),
    // To shrink a failure would take minutes; the seed is in its message.
    { numRuns: 3, endOnFailure: true },
  );
});

/** Whatever the operations were: a person, a role, a data source and a snippet go while everything refers to them. */
async function deleteWithAllThatHangsOnIt(service: TestService, make: Make): Promise<void> {
  for (const kind of ['person', 'role', 'data-source', 'snippet'] as const) {
    const [person, source, role] = [await make.person(), await make.dataSource(), await make.role()];
    await service.ok('PUT', `/role/${role.id}/person/${person.id}`);
    await service.ok('PUT', `/role/${role.id}/data-source/${source.id}`);
    await make.permission(source.id, person.id);
    await make.editor(person, source);
    const owner =
      kind === 'role' ? { owner: 'role', ownerRoleId: role.id } : { owner: 'person', ownerPersonId: person.id };
    const snippet = await make.snippet(owner);
    await make.version(snippet.id, { createdByPersonId: person.id });
    await service.ok('PUT', `/person/${person.id}/lock`);
    const { id } = { person, role, 'data-source': source, snippet }[kind];
    await service.ok('DELETE', `/${kind}/${id}`);
  }
}

async function populate(make: Make): Promise<void> {
  for (let count = 0; count < 3; count += 1) {
    const person = await make.person();
    const source = await make.dataSource();
    await make.role();
    await make.permission(source.id, person.id);
    await make.snippet({ owner: 'person', ownerPersonId: person.id });
    await make.editor(person, source);
  }
}

async function listIds(service: TestService): Promise<Ids> {
  const ids = async (path: string) => (await service.ok<{ id: string }[]>('GET', path)).map(({ id }) => id);
  const [person, dataSource, role, permission, snippet, editor] = await Promise.all(
    ['/person', '/data-source', '/role', '/permission', '/snippet', '/editor'].map(ids),
  );
  return { person, dataSource, role, permission, snippet, editor } as Ids;
}

async function perform({ operation, one, other }: Step, service: TestService, make: Make, ids: Ids): Promise<void> {
  await acts[operation]?.(service, make, (kind, index) => {
    const all = ids[kind];
    return all[(index === 'other' ? other : one) % Math.max(all.length, 1)] ?? (kind === 'permission' ? '999' : wrong);
  });
}

type Objects = Record<string, Record<string, unknown>>;

/** What there would be if nothing but the trail had happened. */
function playBack(entries: readonly ListedEntry[]): Record<string, Objects> {
  const state: Record<string, Objects> = {};
  for (const { changes } of entries) {
    for (const { kind, id, action, before, after } of changes) {
      state[kind] ??= {};
      const objects = state[kind];
      if (action === 'created') {
        assert.equal(objects[id], undefined, `${kind} ${id} was made twice`);
        objects[id] = { ...after };
      } else if (action === 'changed') {
        const object = objects[id];
        assert.ok(object, `${kind} ${id} was changed before it was made`);
        for (const [field, value] of Object.entries(before ?? {})) {
          if (field in object) assert.deepEqual(object[field], value, `${kind} ${id} ${field} before`);
        }
        Object.assign(object, after);
      } else if (action === 'deleted') {
        assert.ok(objects[id], `${kind} ${id} was deleted before it was made`);
        Reflect.deleteProperty(objects, id);
      }
    }
  }
  return state;
}

async function compare(service: TestService): Promise<void> {
  const entries = await listAudit({ ...service.store, query: { limit: 100_000 } });
  const trail = playBack(entries);
  const verification = await verifyAudit(service.store);
  assert.equal(verification.broken, undefined);
  assert.equal(verification.entries, entries.length);

  const people = await service.ok<Person[]>('GET', '/person');
  const roles = await service.ok<Role[]>('GET', '/role');
  const snippets = await service.ok<ListedSnippet[]>('GET', '/snippet');
  const editors = await service.ok<Editor[]>('GET', '/editor');
  assert.deepEqual(without(trail['person'], 'twoFactorEnabled'), byId(people));
  assert.deepEqual(trail['role'] ?? {}, byId(roles));
  assert.deepEqual(trail['data_source'], byId(await service.ok<DataSource[]>('GET', '/data-source')));
  assert.deepEqual(
    trail['permission'] ?? {},
    byId(
      (await service.ok<Permission[]>('GET', '/permission')).map(({ id, person, dataSource, startsAt, expiresAt }) => ({
        id,
        person: person.id,
        dataSource: dataSource.id,
        startsAt,
        expiresAt,
      })),
    ),
  );
  assert.deepEqual(
    trail['snippet'] ?? {},
    byId(
      snippets.map(({ activeVersion, ownerPerson, ownerRole, ...rest }) => ({
        ...rest,
        activeVersion: activeVersion.id,
        ownerPerson: ownerPerson?.id ?? null,
        ownerRole: ownerRole?.id ?? null,
      })),
    ),
  );
  const versions = await Promise.all(
    snippets.map(({ id }) => service.ok<ListedSnippetVersion[]>('GET', `/snippet/${id}/version`)),
  );
  assert.deepEqual(
    without(without(trail['snippet_version'], 'description'), 'text'),
    byId(
      versions.flat().map(({ id, snippetId, name, createdAt, createdBy }) => ({
        id,
        snippet: snippetId,
        name,
        createdAt,
        createdBy: createdBy?.id ?? null,
      })),
    ),
  );
  assert.deepEqual(
    without(trail['editor'], 'tabs'),
    byId(
      editors.map(({ id, person, dataSource, createdAt, updatedAt }) => ({
        id,
        person: person.id,
        dataSource: dataSource.id,
        createdAt,
        updatedAt,
      })),
    ),
  );
  for (const [kind, member] of [
    ['role_person', 'person'],
    ['role_data_source', 'data-source'],
  ] as const) {
    const lists = await Promise.all(
      roles.map(async ({ id: role }) => {
        const members = await service.ok<RolePerson[]>('GET', `/role/${role}/${member}`);
        return members.map(({ id, assignedAt }) => [`${role}/${id}`, assignedAt] as const);
      }),
    );
    const known = Object.entries(trail[kind] ?? {}).map(([id, { assignedAt }]) => [id, assignedAt]);
    assert.deepEqual(Object.fromEntries(known), Object.fromEntries(lists.flat()), kind);
  }
  const messages = await Promise.all(
    editors.map(({ id }) => service.ok<EditorMessage[]>('GET', `/editor/${id}/message`)),
  );
  const living = Object.entries(trail['editor_message'] ?? {}).filter(([, { editor }]) =>
    editors.some(({ id }) => id === editor),
  );
  assert.deepEqual(
    living.map(([id]) => id).sort(),
    messages
      .flat()
      .map(({ id }) => id)
      .sort(),
  );
}

function byId(objects: readonly { id: string }[]): Objects {
  return Object.fromEntries(objects.map(({ id, ...fields }) => [id, fields]));
}

function without(objects: Objects | undefined, field: string): Objects {
  return Object.fromEntries(
    Object.entries(objects ?? {}).map(([id, { [field]: _left, ...rest }]) => [id, rest] as const),
  );
}
