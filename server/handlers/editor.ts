import type { EditorMessage } from '@rolecall/api';
import { created, deleted } from '../audit/change.ts';
import type { RecordChanges } from '../audit/entry.ts';
import { showMessage } from '../audit/show.ts';
import { newId } from '../ids.ts';
import { notFound } from '../refusal.ts';
import { dataSourceEditorPages, editorPages, personEditorPages } from '../store/editor.ts';
import { deleteEditorMessage, editorMessagePages, insertEditorMessage } from '../store/editor-message.ts';
import { editorTabPages } from '../store/editor-tab.ts';
import type { Executor } from '../store/store.ts';
import { existingEditor, listOf, requireExisting } from './existing.ts';
import type { Context, Handlers } from './handler.ts';

export const editorHandlers = {
  listEditors: async (_request, { lists }) => lists.list('editor', editorPages, dataSourceEditorPages),

  getEditor: async ({ params }, { store }) => store.read((executor) => existingEditor(executor, params.editor)),

  getEditorDetail: async ({ params }, { store }) => {
    const editor = await store.read((executor) => existingEditor(executor, params.editor));
    const beginning = `${JSON.stringify(editor).slice(0, -1)},"tabs":[`;
    const tabs = await store.list(editorTabPages(params.editor), [beginning, ']}']);
    return Array.isArray(tabs) ? { ...editor, tabs } : tabs;
  },

  listPersonEditors: async ({ params }, { store }) => listOf(store, params, personEditorPages(params.person)),

  listDataSourceEditors: async ({ params }, { store }) =>
    listOf(store, params, dataSourceEditorPages(params.dataSource)),

  listEditorMessages: async ({ params }, { store }) => listOf(store, params, editorMessagePages(params.editor)),

  createEditorMessage: ({ params, body }, { store, digest, clock }) =>
    store.create(['editor_message'], (executor, record) =>
      postMessage(executor, { editor: params.editor, ...body }, { record, digest, clock }),
    ),

  deleteEditorMessage: async ({ params }, context) => removeMessage(params, context),
} satisfies Partial<Handlers>;

/** Posts a message within a write. @throws Refusal not_found */
export async function postMessage(
  executor: Executor,
  { editor, ...content }: { editor: string; title: string; message: string },
  { record, digest, clock }: Pick<Context, 'digest' | 'clock'> & { record: RecordChanges },
): Promise<EditorMessage> {
  const message = { id: newId(), editorId: editor, createdAt: clock().toISOString(), ...content };
  await requireExisting(executor, { editor });
  await insertEditorMessage(executor, message);
  record([created(showMessage(message, digest))]);
  return message;
}

/** @throws Refusal not_found */
export async function removeMessage(
  { editor, messageId }: { editor: string; messageId: string },
  { store, digest }: Pick<Context, 'digest'> & { readonly store: Pick<Context['store'], 'write'> },
): Promise<Record<string, never>> {
  await store.write(['editor_message'], async (executor, record) => {
    const message = await deleteEditorMessage(executor, editor, messageId);
    if (message !== undefined) {
      record([deleted(showMessage(message, digest))]);
      return;
    }
    await requireExisting(executor, { editor });
    throw notFound(`message in the editor ${editor} with the id`, messageId);
  });
  return {};
}
