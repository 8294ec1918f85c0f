import type { EditorMessage } from '@rolecall/api';
import { sql } from 'kysely';
import { changeWith, findBy } from './operations.ts';
import { type Pages, pageRows, textPages } from './pages.ts';
import { statement } from './statement.ts';

export const insertEditorMessage = changeWith<EditorMessage>((db, message) =>
  db.insertInto('editor_message').values({
    id: message.id,
    editor_id: message.editorId,
    title: message.title,
    message: message.message,
    created_at: message.createdAt,
  }),
);

const columns = ['id', 'editor_id as editorId', 'created_at as createdAt', 'title', 'message'] as const;

const list = statement<{ editor: string; after: number; upTo: number }>()((db, { editor, after, upTo }) =>
  db
    .selectFrom('editor_message')
    .select(columns)
    .where('editor_id', '=', editor)
    .where('seq', '>', after)
    .where('seq', '<=', upTo)
    .orderBy('seq'),
);

const sizes = statement<{ editor: string; after: number }>()((db, { editor, after }) =>
  db
    .selectFrom('editor_message')
    .select(['seq', sql<number>`octet_length(message)`.as('bytes')])
    .where('editor_id', '=', editor)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(pageRows),
);

/** @returns what was deleted; undefined if the editor has no such message */
export const deleteEditorMessage = findBy(['editor', 'id'], (db, { editor, id }) =>
  db.deleteFrom('editor_message').where('id', '=', id).where('editor_id', '=', editor).returning(columns),
);

export function editorMessagePages(editor: string): Pages<EditorMessage> {
  return textPages(sizes, list, { editor }, (message) => message);
}
