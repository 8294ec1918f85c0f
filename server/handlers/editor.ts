import { created, deleted } from '../audit/change.ts';
import { showMessage } from '../audit/show.ts';
import { newId } from '../ids.ts';
import { notFound } from '../refusal.ts';
import { dataSourceEditorPages, editorPages, editorTabPages, findEditor, personEditorPages } from '../store/editor.ts';
import { deleteEditorMessage, editorMessagePages, insertEditorMessage } from '../store/editor-message.ts';
import { listOf, requireExisting } from './existing.ts';
import type { Handlers } from './handler.ts';

export const editorHandlers = {
  listEditors: async (_request, { lists }) => lists.list('editor', editorPages, dataSourceEditorPages),

  getEditor: async ({ params }, { store }) => {
    const editor = await store.read((executor) => findEditor(executor, params.editor));
    if (editor === undefined) throw notFound('editor', params.editor);
    return editor;
  },

  getEditorDetail: async ({ params }, { store }) => {
    const editor = await store.read((executor) => findEditor(executor, params.editor));
    if (editor === undefined) throw notFound('editor', params.editor);
    const beginning = `${JSON.stringify(editor).slice(0, -1)},"tabs":[`;
    const tabs = await store.list(editorTabPages(params.editor), [beginning, ']}']);
    return Array.isArray(tabs) ? { ...editor, tabs } : tabs;
  },

  listPersonEditors: async ({ params }, { store }) => listOf(store, params, personEditorPages(params.person)),

  listDataSourceEditors: async ({ params }, { store }) =>
    listOf(store, params, dataSourceEditorPages(params.dataSource)),

  listEditorMessages: async ({ params }, { store }) => listOf(store, params, editorMessagePages(params.editor)),

  createEditorMessage: async ({ params, body }, { store, digest, clock }) => {
    const message = { id: newId(), editorId: params.editor, createdAt: clock().toISOString(), ...body };
    return store.create([], async (executor, record) => {
      await requireExisting(executor, params);
      await insertEditorMessage(executor, message);
      record([created(showMessage(message, digest))]);
      return message;
    });
  },

  deleteEditorMessage: async ({ params }, { store, digest }) => {
    await store.write([], async (executor, record) => {
      const message = await deleteEditorMessage(executor, params.editor, params.messageId);
      if (message !== undefined) {
        record([deleted(showMessage(message, digest))]);
        return;
      }
      await requireExisting(executor, { editor: params.editor });
      throw notFound(`message in the editor ${params.editor} with the id`, params.messageId);
    });
    return {};
  },
} satisfies Partial<Handlers>;
