import { z } from 'zod';
import { emptyObject } from '../fields.ts';
import { editorDetail, editorMessage, editorSchema, newEditorMessage } from '../resources/editor.ts';
import { defineRoutes } from '../route.ts';

const path = '/api/v2/editor/:editor';

export const editorRoutes = defineRoutes('Editors', {
  listEditors: {
    method: 'GET',
    path: '/api/v2/editor',
    summary: 'List editors',
    scope: 'read',
    limitedKeys: 'list',
    answer: z.array(editorSchema),
  },
  getEditor: {
    method: 'GET',
    path,
    summary: 'Get an editor',
    scope: 'read',
    limitedKeys: 'object',
    answer: editorSchema,
  },
  getEditorDetail: {
    method: 'GET',
    path: `${path}/detail`,
    summary: 'Get an editor with its tabs',
    scope: 'read',
    limitedKeys: 'object',
    answer: editorDetail,
  },
  listEditorMessages: {
    method: 'GET',
    path: `${path}/message`,
    summary: 'List the messages of an editor',
    scope: 'read',
    limitedKeys: 'object',
    answer: z.array(editorMessage),
  },
  createEditorMessage: {
    method: 'POST',
    path: `${path}/message`,
    summary: 'Show a message in an editor',
    scope: 'write',
    limitedKeys: 'object',
    body: { encoding: 'json', schema: newEditorMessage },
    answer: editorMessage,
    creates: true,
  },
  deleteEditorMessage: {
    method: 'DELETE',
    path: `${path}/message/:messageId`,
    summary: 'Delete a message of an editor',
    scope: 'write',
    limitedKeys: 'object',
    answer: emptyObject,
    changes: 'listEditorMessages',
  },
});
