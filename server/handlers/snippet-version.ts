import { randomUUID } from 'node:crypto';
import type { SnippetVersion } from '@rolecall/api';
import { laterThan } from '../clock.ts';
import { notFound } from '../refusal.ts';
import { findSnippetRow, updateSnippet } from '../store/snippet.ts';
import { findSnippetVersion, insertSnippetVersion, selectSnippetVersions } from '../store/snippet-version.ts';
import type { Executor } from '../store/store.ts';
import { requireExisting } from './existing.ts';
import type { Handlers } from './handler.ts';
import { requirePerson } from './owner.ts';

type Params = { snippet: string; snippetVersion: string };

export const snippetVersionHandlers = {
  createSnippetVersion: async ({ params, body }, { store, clock }) => {
    const { createdByPersonId = null, ...content } = body;
    const id = randomUUID();
    // The list shows active versions only, so it does not change.
    return store.write([], async (executor) => {
      await requireExisting(executor, params);
      await requirePerson(executor, 'createdByPersonId', createdByPersonId);
      const createdAt = clock().toISOString();
      await insertSnippetVersion(executor, { id, snippetId: params.snippet, ...content, createdByPersonId, createdAt });
      return requireVersion(executor, { ...params, snippetVersion: id });
    });
  },

  listSnippetVersions: async ({ params }, { store }) =>
    store.read(async (executor) => {
      const versions = await selectSnippetVersions(executor, params.snippet);
      if (versions.length === 0) throw notFound('snippet', params.snippet);
      // No call of this API sets the data source of a version.
      return versions.map((version) => ({ ...version, dataSource: null }));
    }),

  getSnippetVersion: async ({ params }, { store }) => store.read((executor) => requireVersion(executor, params)),

  activateSnippetVersion: async ({ params }, { store, clock }) => {
    await store.write(['snippet'], async (executor) => {
      const version = await requireVersion(executor, params);
      const snippet = await findSnippetRow(executor, params.snippet);
      if (snippet === undefined) throw notFound('snippet', params.snippet);
      if (snippet.activeVersionId === version.id) return;
      const updatedAt = laterThan(snippet.updatedAt, clock);
      await updateSnippet(executor, { ...snippet, activeVersionId: version.id, updatedAt });
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
