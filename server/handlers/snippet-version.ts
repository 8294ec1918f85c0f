import { randomUUID } from 'node:crypto';
import type { SnippetVersion } from '@rolecall/api';
import { changed, created } from '../audit/change.ts';
import { showSnippet, showVersion } from '../audit/show.ts';
import { laterThan } from '../clock.ts';
import { notFound } from '../refusal.ts';
import { findSnippet, findSnippetRow, updateSnippet } from '../store/snippet.ts';
import { findSnippetVersion, insertSnippetVersion, snippetVersionPages } from '../store/snippet-version.ts';
import type { Executor } from '../store/store.ts';
import { listOf, requireExisting } from './existing.ts';
import type { Handlers } from './handler.ts';
import { requirePerson } from './owner.ts';

type Params = { snippet: string; snippetVersion: string };

export const snippetVersionHandlers = {
  createSnippetVersion: async ({ params, body }, { store, digest, clock }) => {
    const { createdByPersonId = null, ...content } = body;
    const id = randomUUID();
    // The list shows active versions only, so it does not change.
    return store.create([], async (executor, record) => {
      await requireExisting(executor, params);
      await requirePerson(executor, 'createdByPersonId', createdByPersonId);
      const version = { id, snippetId: params.snippet, ...content, createdAt: clock().toISOString() };
      await insertSnippetVersion(executor, { ...version, createdByPersonId });
      record([created(showVersion({ ...version, createdBy: createdByPersonId }, digest))]);
      return requireVersion(executor, { ...params, snippetVersion: id });
    });
  },

  listSnippetVersions: async ({ params }, { store }) => listOf(store, params, snippetVersionPages(params.snippet)),

  getSnippetVersion: async ({ params }, { store }) => store.read((executor) => requireVersion(executor, params)),

  activateSnippetVersion: async ({ params }, { store, clock }) => {
    await store.write(['snippet'], async (executor, record) => {
      const version = await requireVersion(executor, params);
      const before = await findSnippet(executor, params.snippet);
      const row = await findSnippetRow(executor, params.snippet);
      if (before === undefined || row === undefined) throw notFound('snippet', params.snippet);
      if (row.activeVersionId === version.id) return;
      const updatedAt = laterThan(row.updatedAt, clock);
      await updateSnippet(executor, { ...row, activeVersionId: version.id, updatedAt });
      record(changed(showSnippet(before), showSnippet({ ...before, activeVersion: version, updatedAt })));
    });
    return {};
  },
} satisfies Partial<Handlers>;

async function requireVersion(executor: Executor, { snippet, snippetVersion }: Params): Promise<SnippetVersion> {
  const version = await findSnippetVersion(executor, snippet, snippetVersion);
  if (version !== undefined) return version;
  await requireExisting(executor, { snippet });
  throw notFound(`version of the snippet ${snippet} with the id`, snippetVersion);
}
