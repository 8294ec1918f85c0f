import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EditorDetail, ListedSnippet, SnippetVersion } from '@rolecall/api';
import { JsonStream } from '../../server/json-answer.ts';
import { ListCache } from '../../server/list-cache.ts';
import { openSqliteStore } from '../../server/store/sqlite/open.ts';
import { makers } from './support/make.ts';
import { startTestService, temporaryFolder } from './support/service.ts';

/** JSON writes each of them as six bytes. */
const text = '\u0001'.repeat(200_000);

describe('a list of long texts', async () => {
  const service = await startTestService();
  const make = makers(service);
  const count = 24;
  const names = Array.from({ length: count }, (_, index) => `snippet ${index}`);
  for (const name of names) await make.snippet({ name, text });

  it('is answered whole, however large it is, with a tag that is good until it changes', async () => {
    const answer = await service.call('GET', '/snippet');
    assert.equal(answer.status, 200);
    const snippets = answer.body as ListedSnippet[];
    assert.deepEqual(
      snippets.map(({ activeVersion }) => activeVersion.name),
      names,
    );
    assert.ok(snippets.every(({ activeVersion }) => activeVersion.text === text && activeVersion.dataSource === null));
    const headers = { 'if-none-match': answer.headers.get('etag') ?? '' };
    assert.equal((await service.call('GET', '/snippet', { headers })).status, 304);
    const { id } = await make.snippet({ name: 'one more' });
    assert.equal((await service.call('GET', '/snippet', { headers })).status, 200);
    await service.ok('DELETE', `/snippet/${id}`);
    const head = await service.call('HEAD', '/snippet');
    assert.deepEqual([head.status, head.text], [200, '']);
  });

  it('of the versions of a snippet, too', async () => {
    const snippet = await make.snippet({ text });
    for (let index = 0; index < count; index += 1) await make.version(snippet.id, { text });
    const versions = await service.ok<SnippetVersion[]>('GET', `/snippet/${snippet.id}/version`);
    assert.equal(versions.length, count + 1);
    assert.ok(versions.every((version) => version.text === text && version.createdBy === null));
    await service.ok('DELETE', `/snippet/${snippet.id}`);
  });

  it('of the tabs of an editor, with the fields of the editor around them', async () => {
    const tabs = Array.from({ length: count }, (_, index) => ({ title: `tab ${index}`, text }));
    const editor = await make.editor(await make.person(), await make.dataSource(), tabs);
    const detail = await service.ok<EditorDetail>('GET', `/editor/${editor.id}/detail`);
    assert.deepEqual({ ...detail, tabs: [] }, { ...editor, tabs: [] });
    assert.deepEqual(
      detail.tabs.map(({ title, text: content }) => [title, content === text]),
      tabs.map(({ title }) => [title, true]),
    );
  });

  it('holds a page in memory for each client that does not read on', async () => {
    const store = await openSqliteStore(await temporaryFolder());
    const lists = new ListCache(store, 1024);
    let read = 0;
    const pages = {
      start: 0,
      read: (_executor: unknown, after: number) => {
        read += 1;
        return { rows: [text], next: after < 450 ? after + 1 : undefined };
      },
    };
    const readers = await Promise.all(Array.from({ length: 10 }, () => lists.list('snippet', pages)));
    // To find out that it is long, the list was read up to 8 MiB once; then each reader began.
    assert.ok(read <= 8 + 2 * readers.length, String(read));
    for (const reader of readers) {
      assert.ok(reader instanceof JsonStream);
      const begun = reader.stream[Symbol.asyncIterator]();
      await begun.next();
    }
    assert.ok(read <= 8 + 4 * readers.length, String(read));
    for (const reader of readers) if (reader instanceof JsonStream) reader.stream.destroy();
    await store.close();
  });
});
