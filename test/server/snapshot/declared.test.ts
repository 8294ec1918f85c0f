import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Declarations, type Snapshot, snapshotSchema } from '@rolecall/api';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { type Call, startTestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);
const { read: key } = service.keys;
const by = (manager: string, definition: string) => ({
  headers: { 'rolecall-manager': manager, 'rolecall-definition': definition },
});

const record = (manager: string, json: unknown) =>
  service.ok('PATCH', '/declaration', { json, headers: { 'rolecall-manager': manager } });

async function readSnapshot(
  query = '',
  call: Call = {},
): Promise<{ text: string; tag: string; declared?: Declarations }> {
  const { status, text, body, headers } = await service.call('GET', `/snapshot${query}`, { key, ...call });
  assert.equal(status, 200, text);
  assert.deepEqual(snapshotSchema.parse(body), body, 'no field is there that the schema does not have');
  const { declared } = body as Snapshot;
  return { text, tag: headers.get('etag') ?? '', ...(declared === undefined ? {} : { declared }) };
}

describe('a snapshot with what a manager declares', () => {
  it('has its definitions, its origin, and which objects another manager declares too', async () => {
    const [ada, bob, role] = [await make.person(), await make.person(), await make.role()];
    await service.ok('PUT', `/person/${ada.id}/lock`, by('rolecall/a', 'Person/ada; keep'));
    await service.ok('PUT', `/person/${bob.id}/lock`, by('rolecall/a', 'Person/bob'));
    await service.ok('PUT', `/role/${role.id}/person/${ada.id}`, by('rolecall/a', 'Role/r'));
    await record('rolecall/b', {
      origin: 'say "hi"\n',
      declared: [{ kind: 'person', id: bob.id, definition: 'Person/bob', isKept: false }],
    });
    const own = { isShared: false, isKept: false };
    const { declared } = await readSnapshot('?declaredBy=rolecall/a');
    assert.equal(declared?.origin, null);
    const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
    assert.deepEqual(declared.definitions, [
      ...[
        { kind: 'person', id: ada.id, definition: 'Person/ada', ...own, isKept: true },
        { kind: 'person', id: bob.id, definition: 'Person/bob', ...own, isShared: true },
      ].sort(byId),
      { kind: 'role_person', id: `${role.id}/${ada.id}`, definition: 'Role/r', ...own },
    ]);
    // Two definitions of one manager share nothing.
    const again = [{ kind: 'person', id: ada.id, definition: 'Person/again', isKept: false }];
    await record('rolecall/a', { declared: again });
    const { definitions } = (await readSnapshot('?include=snippets&declaredBy=rolecall/a')).declared!;
    assert.deepEqual(
      definitions.filter(({ id }) => id === ada.id).map(({ isShared }) => isShared),
      [false, false],
    );
    const other = await service.ok<Snapshot>('POST', '/snapshot', {
      key,
      json: { key: 'A'.repeat(43), passwords: {}, declaredBy: 'rolecall/b' },
    });
    assert.deepEqual(other.declared, {
      origin: 'say "hi"\n',
      definitions: [{ kind: 'person', id: bob.id, definition: 'Person/bob', isKept: false, isShared: true }],
    });
    assert.deepEqual((await readSnapshot('?declaredBy=nobody')).declared, { origin: null, definitions: [] });
  });

  it('has each of many once, in their order, over all pages', async () => {
    const people = await Promise.all([make.person(), make.person(), make.person()]);
    const declared = people.flatMap(({ id }) =>
      Array.from({ length: 300 }, (_, index) => ({
        kind: 'person',
        id,
        definition: `Person/p${index}`,
        isKept: false,
      })),
    );
    await record('rolecall/many', { declared });
    const { definitions } = (await readSnapshot('?declaredBy=rolecall/many')).declared!;
    const text = ({ kind, id, definition }: (typeof declared)[number]) => `${kind} ${id} ${definition}`;
    assert.deepEqual(definitions.map(text), declared.map(text).sort());
  });

  it('is not to be told, without the parameter, from one of a service that remembers nothing', async () => {
    const { id } = await make.person();
    const [plain, withSnippets] = [await readSnapshot(), await readSnapshot('?include=snippets')];
    await record('rolecall/a', {
      origin: 'here',
      declared: [{ kind: 'person', id, definition: 'Person/x', isKept: false }],
    });
    assert.deepEqual([await readSnapshot(), await readSnapshot('?include=snippets')], [plain, withSnippets]);
    assert.equal(plain.declared, undefined);
    assert.notEqual((await readSnapshot('?declaredBy=rolecall/a')).tag, plain.tag);
  });

  it('has an ETag that is its own, changes with what is declared, and else as without', async () => {
    const query = '?declaredBy=rolecall/tag';
    const [person, { id: snippet }] = [await make.person(), await make.snippet()];
    const row = { kind: 'person', id: person.id, definition: 'Person/x' };
    const changes: (() => Promise<unknown>)[] = [
      () => record('rolecall/tag', { declared: [{ ...row, isKept: false }] }),
      () => record('rolecall/tag', { declared: [{ ...row, isKept: true }] }),
      () => record('rolecall/tag', { origin: 'one' }),
      () => record('rolecall/tag', { origin: 'two' }),
      () => record('rolecall/other', { declared: [{ ...row, isKept: false }] }),
      () => record('rolecall/tag', { forgotten: [row] }),
      () => service.ok('PUT', `/snippet/${snippet}/lock`, by('rolecall/tag', 'Snippet/s')),
      () => service.ok('DELETE', `/snippet/${snippet}`),
      () => service.ok('PUT', `/person/${person.id}/lock`),
    ];
    let { tag } = await readSnapshot(query);
    assert.notEqual((await readSnapshot('?declaredBy=rolecall/other')).tag, tag);
    for (const [index, change] of changes.entries()) {
      const headers = { 'if-none-match': tag };
      assert.equal((await service.call('GET', `/snapshot${query}`, { key, headers })).status, 304, `before ${index}`);
      await change();
      const changed = await service.call('GET', `/snapshot${query}`, { key, headers });
      assert.equal(changed.status, 200, `after ${index}`);
      tag = changed.headers.get('etag') ?? '';
    }
    const quiet: (() => Promise<unknown>)[] = [
      () => record('rolecall/tag', { origin: 'two', forgotten: [row] }),
      () => record('rolecall/other', { declared: [{ ...row, isKept: false }] }),
      () => record('rolecall/tag', { declared: [{ ...row, id: 'nobody', isKept: false }] }),
      () => make.snippet(),
    ];
    for (const change of quiet) {
      await change();
      assert.equal((await readSnapshot(query)).tag, tag, String(change));
    }
    const answer = await service.call('POST', '/snapshot', {
      key,
      json: { key: 'A'.repeat(43), passwords: {}, declaredBy: 'rolecall/tag' },
    });
    assert.equal(answer.headers.get('etag')?.replace('W/', ''), tag.replace('W/', ''));
  });

  it('is refused for what is no name of a manager', async () => {
    for (const name of ['', 'a b', 'x'.repeat(101), 'rolecall/a; exact', 'rolecall/a;', 'é']) {
      const path = `/snapshot?declaredBy=${encodeURIComponent(name)}`;
      assertProblem(await service.call('GET', path, { key }), 400, 'malformed_parameter');
      const json = { key: 'A'.repeat(43), passwords: {}, declaredBy: name };
      assertProblem(await service.call('POST', '/snapshot', { key, json }), 422, 'invalid_fields');
    }
  });
});
