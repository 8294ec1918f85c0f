import { randomUUID } from 'node:crypto';
import type { SnippetVersion } from '@rolecall/api';
import { created } from '../audit/change.ts';
import { showVersion } from '../audit/show.ts';
import { notFound } from '../refusal.ts';
import { findSnippetVersion, insertSnippetVersion, snippetVersionPages } from '../store/snippet-version.ts';
import type { Executor } from '../store/store.ts';
import { listOf, requireExisting } from './existing.ts';
import type { Handlers } from './handler.ts';
import { requirePerson } from './owner.ts';
import { changeSnippet } from './snippet.ts';

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
      await changeSnippet(executor, params.snippet, { record, clock }, (row) =>
        row.activeVersionId === version.id ? undefined : { ...row, activeVersionId: version.id },
      );
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
