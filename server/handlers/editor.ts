import { created, deleted } from '../audit/change.ts';
import { showMessage } from '../audit/show.ts';
import { newId } from '../ids.ts';
import { readPages } from '../pages.ts';
import { notFound } from '../refusal.ts';
import {
  findEditor,
  findEditorDetail,
  selectDataSourceEditors,
  selectEditors,
  selectPersonEditors,
} from '../store/editor.ts';
import { deleteEditorMessage, editorMessagePages, insertEditorMessage } from '../store/editor-message.ts';
import { listOf, requireExisting } from './existing.ts';
import type { Handlers } from './handler.ts';

export const editorHandlers = {
  listEditors: async (_request, { lists }) => lists.list('editor', selectEditors, selectDataSourceEditors),

  getEditor: async ({ params }, { store }) => {
    const editor = await store.read((executor) => findEditor(executor, params.editor));
    if (editor === undefined) throw notFound('editor', params.editor);
    return editor;
  },

  getEditorDetail: async ({ params }, { store }) => {
    const editor = await store.read((executor) => findEditorDetail(executor, params.editor));
    if (editor === undefined) throw notFound('editor', params.editor);
    return editor;
  },

  listPersonEditors: async ({ params }, { store }) =>
    store.read(async (executor) => listOf(executor, params, await selectPersonEditors(executor, params.person))),

  listDataSourceEditors: async ({ params }, { store }) =>
    store.read(async (executor) =>
      listOf(executor, params, await selectDataSourceEditors(executor, params.dataSource)),
    ),

  listEditorMessages: async ({ params }, { store }) =>
    store.read(async (executor) => {
      const messages = await readPages(store.read, executor, editorMessagePages(params.editor));
      return Array.isArray(messages) ? listOf(executor, params, messages) : messages;
    }),

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
