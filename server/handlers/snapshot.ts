import { showDataSource } from '../audit/show.ts';
import { JsonStream } from '../json-answer.ts';
import { type DeclarationsOf, streamSnapshot } from '../snapshot/stream.ts';
import type { SealedDataSource } from '../store/data-source.ts';
import { findDeclarationOrigin } from '../store/declaration.ts';
import { type Asked, snapshotState } from '../store/snapshot.ts';
import type { StoreSnapshot } from '../store/store.ts';
import type { Context, Handlers } from './handler.ts';

export const snapshotHandlers = {
  readSnapshot: async ({ query }, context) => answer(context, query),

  compareSnapshot: async ({ body }, context) =>
    answer(context, body, async (snapshot) => {
      const { comparison, seal, keyId } = context;
      const { matches, wrong } = await comparison.compare(body, { snapshot, seal, keyId });
      // Before the answer tells it: what cannot be recorded is not told.
      if (wrong.length > 0) await recordWrong(context, wrong);
      return matches;
    }),
} satisfies Partial<Handlers>;

async function answer(
  { store, snapshotSlots, seal, digest, keyId, adminRole }: Context,
  { include, declaredBy }: { include?: 'snippets' | undefined; declaredBy?: string | undefined },
  compare?: (snapshot: StoreSnapshot) => Promise<ReadonlyMap<string, boolean | null>>,
): Promise<JsonStream> {
  const release = await snapshotSlots.take(keyId);
  let snapshot: StoreSnapshot | undefined;
  try {
    snapshot = await store.snapshot();
    const asked: Asked = { withSnippets: include === 'snippets', declaredBy };
    const state = await snapshot.read((executor) => snapshotState(executor, asked, adminRole));
    const matches = await compare?.(snapshot);
    const declared = declaredBy === undefined ? undefined : await declarationsOf(snapshot, declaredBy);
    const { withSnippets } = asked;
    const stream = streamSnapshot(snapshot, {
      ...{ seal, digest, withSnippets, declared, adminRole, matches },
      onClose: release,
    });
    return new JsonStream(stream, { state, isExact: true });
  } catch (error) {
    await snapshot?.close();
    release();
    throw error;
  }
}

async function declarationsOf({ read }: StoreSnapshot, manager: string): Promise<DeclarationsOf> {
  return { manager, origin: await read((executor) => findDeclarationOrigin(executor, manager)) };
}

/** @throws StoreUnavailableError */
async function recordWrong({ store }: Context, wrong: readonly SealedDataSource[]): Promise<void> {
  await store.write([], (_executor, record) => {
    record(
      wrong.map((source) => {
        const { fields: _same, ...object } = showDataSource(source);
        return { ...object, action: 'password compared', after: { matches: false } };
      }),
    );
  });
}
