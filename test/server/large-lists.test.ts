import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ListedSnippet, SnippetVersion } from '@rolecall/api';
import { createListCache } from '../../server/list-cache.ts';
import { ReadyStream } from '../../server/ready-made.ts';
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

  it('holds a page in memory for each client that does not read on', async () => {
    const store = await openSqliteStore(await temporaryFolder());
    const lists = createListCache(store, 1024);
    let pages = 0;
    let rows = 0;
    const readers = await Promise.all(
      Array.from({ length: 10 }, () =>
        lists.listPages('snippet', {
          sizes: () => Array.from({ length: 450 }, (_, index) => ({ seq: index + 1, bytes: text.length })),
          select: (_executor, { after, upTo }) => {
            pages += 1;
            rows = Math.max(rows, upTo - after);
            return Array.from({ length: upTo - after }, () => text);
          },
        }),
      ),
    );
    assert.equal(pages, 0);
    for (const reader of readers) {
      assert.ok(reader instanceof ReadyStream);
      const begun = reader.stream[Symbol.asyncIterator]();
      await begun.next();
    }
    assert.ok(pages <= 3 * readers.length, String(pages));
    assert.equal(rows, 1);
    for (const reader of readers) if (reader instanceof ReadyStream) reader.stream.destroy();
    await store.close();
  });
});
