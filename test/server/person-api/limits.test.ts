import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Insertable } from 'kysely';
import { withData } from '../../../server/data/open-data.ts';
import { mySnippetHandlers } from '../../../server/person-api/handlers/snippet.ts';
import type { Tables } from '../../../server/store/tables.ts';
import { openEvents } from '../support/events.ts';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);
const at = '2026-01-01T00:00:00.000Z';

/** Adds many rows past the API, some at a time. */
async function insert<Table extends keyof Tables>(
  table: Table,
  count: number,
  row: (index: number) => Insertable<Tables[Table]>,
): Promise<void> {
  await withData(service.store, ({ store }) =>
    store.write([], async ({ db }) => {
      for (let start = 0; start < count; start += 500) {
        const rows = Array.from({ length: Math.min(500, count - start) }, (_, index) => row(start + index));
        await db.insertInto(table).values(rows).execute();
      }
    }),
  );
}

async function dataSources(prefix: string, count: number): Promise<void> {
  const source = { name: 'Billing', type: 'sqlite', sealed_uri: Buffer.alloc(1), shown_uri: '' };
  await insert('data_source', count, (index) => ({
    ...source,
    id: `${prefix}${index}`,
    alias: `${prefix}${index}`,
    created_at: at,
    updated_at: at,
  }));
}

describe('one person has at most', () => {
  it('1,000 editors; one that is open already opens all the same', async () => {
    const [ada, source] = [await make.person(), await make.dataSource()];
    await make.permission(source.id, ada.id);
    const session = await signedIn(service, ada.id);
    await dataSources('e', 1000);
    const editor = { person_id: ada.id, created_at: at, updated_at: at };
    await insert('editor', 999, (index) => ({ ...editor, id: `editor${index}`, data_source_id: `e${index}` }));
    const path = `/data-source/${source.id}/editor`;
    const { id } = await session.ok('openEditor', 'POST', path);
    const next = await make.dataSource();
    await make.permission(next.id, ada.id);
    assertProblem(await session.call('POST', `/data-source/${next.id}/editor`), 409, 'limit_reached');
    assert.equal((await session.ok('openEditor', 'POST', path)).id, id);
    assert.equal((await session.ok('listMyEditors', 'GET', '/editor')).length, 1000);
  });

  it('5,000 grants in one answer, which then says that it is not all, and names no data source by half', async () => {
    const ada = await make.person();
    await dataSources('g', 51);
    const permission = { person_id: ada.id, starts_at: at, expires_at: '2096-01-01T00:00:00.000Z', created_at: at };
    const of = (index: number) => ({ ...permission, data_source_id: `g${Math.floor(index / 100)}` });
    await insert('permission', 5000, of);
    const session = await signedIn(service, ada.id);
    const all = await session.ok('listMyAccess', 'GET', '/access');
    assert.deepEqual([all.isComplete, all.dataSources.length], [true, 50]);
    // One more, of a data source of which the answer would have all but it.
    await insert('permission', 1, () => of(4999));
    const cut = await session.ok('listMyAccess', 'GET', '/access');
    assert.deepEqual([cut.isComplete, cut.dataSources.length], [false, 49]);
    assert.equal(cut.dataSources.flatMap(({ through }) => through).length, 4900);
  });

  it('1,000 snippets of their own, and the newest 1,000 in a list, which then says that it is not all', async () => {
    const ada = await make.person();
    const session = await signedIn(service, ada.id);
    const create = () =>
      session.call('POST', '/snippet', { json: { name: 'Mine', description: '', text: 'select 1' } });
    const row = { is_locked: 0, public_access_level: 'none', owner_role_id: null, created_at: at, updated_at: at };
    const ids = (index: number) => ({ id: `s${index}`, active_version_id: `v${index}` });
    await insert('snippet', 999, (index) => ({ ...row, ...ids(index), owner_person_id: ada.id }));
    await insert('snippet_version', 999, (index) => ({
      id: `v${index}`,
      snippet_id: `s${index}`,
      name: 'Mine',
      description: '',
      text: '',
      created_by_person_id: ada.id,
      created_at: at,
    }));
    assert.equal((await create()).status, 200);
    assertProblem(await create(), 409, 'limit_reached');
    const list = await session.ok('listMySnippets', 'GET', '/snippet');
    assert.deepEqual([list.isComplete, list.snippets.length], [true, 1000]);
    const { id } = await make.snippet({ publicAccessLevel: 'read_only' });
    const cut = await session.ok('listMySnippets', 'GET', '/snippet');
    assert.deepEqual([cut.isComplete, cut.snippets.length, cut.snippets[0]?.id], [false, 1000, id]);
  });

  it('1,000 versions of one snippet', async () => {
    const session = await signedIn(service, (await make.person()).id);
    const { id } = await make.snippet({ publicAccessLevel: 'read_write' });
    const version = { snippet_id: id, name: 'x', description: '', text: '', created_by_person_id: null };
    await insert('snippet_version', 998, (index) => ({ ...version, id: `w${index}`, created_at: at }));
    const save = () =>
      session.call('POST', `/snippet/${id}/version`, { json: { name: 'x', description: '', text: 'select 1' } });
    assert.equal((await save()).status, 200);
    assertProblem(await save(), 409, 'limit_reached');
  });

  it('1,000 messages that are followed: one that a newer one pushes out is not called deleted', async () => {
    const [ada, source] = [await make.person(), await make.dataSource()];
    const editor = `m${ada.id}`;
    const times = { created_at: at, updated_at: at };
    await insert('editor', 1, () => ({ id: editor, person_id: ada.id, data_source_id: source.id, ...times }));
    const message = { editor_id: editor, title: 'x', message: 'x', created_at: at };
    await insert('editor_message', 1000, (index) => ({ ...message, id: `m${index}` }));
    const { token } = await signedIn(service, ada.id);
    await using events = await openEvents(service.url, token);
    await events.next('message', ({ id }) => id === 'm999');
    const { id } = await service.ok<{ id: string }>('POST', `/editor/${editor}/message`, {
      json: { title: 'one more', message: 'x' },
    });
    await events.next('message', (one) => one.id === id);
    await service.ok('DELETE', `/editor/${editor}/message/m500`);
    assert.deepEqual(await events.next('message_deleted'), { id: 'm500' });
  });
});

it('the level on a snippet is asked again within each write, as it may have changed since the request came in', async () => {
  const ada = await make.person();
  const { id, activeVersion } = await make.snippet({ publicAccessLevel: 'read_only' });
  await withData(service.store, async ({ store, digest }) => {
    const write = (changes: never[], work: (executor: never, record: () => void) => Promise<unknown>) =>
      store.write(changes, (executor) => work(executor as never, () => undefined));
    const context = { store: { read: store.read, write }, digest, clock: () => new Date() } as never;
    const session = { person: { id: ada.id } } as never;
    const request = {
      params: { snippet: id, snippetVersion: activeVersion.id },
      body: { name: '', description: '', text: '' },
    };
    const { changeMySnippet, deleteMySnippet, createMySnippetVersion, activateMySnippetVersion } = mySnippetHandlers;
    for (const handler of [changeMySnippet, deleteMySnippet, createMySnippetVersion, activateMySnippetVersion]) {
      await assert.rejects(handler(request as never, context, session), /your level on the snippet .* is read_only/);
    }
  });
});
