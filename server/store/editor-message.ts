import type { EditorMessage } from '@rolecall/api';
import { rowOf } from './columns.ts';
import { findBy, runWith } from './operations.ts';
import { type Pages, textPages, textSizes } from './pages.ts';
import { statement } from './statement.ts';
import type { Executor } from './store.ts';

const columns = [
  'editor_message.id',
  'editor_id as editorId',
  'editor_message.created_at as createdAt',
  'title',
  'message',
] as const;

export const insertEditorMessage = runWith<EditorMessage>((db, message) =>
  db.insertInto('editor_message').values(rowOf(columns, message)),
);

const list = statement<{ editor: string; after: number; upTo: number }>()((db, { editor, after, upTo }) =>
  db
    .selectFrom('editor_message')
    .select(columns)
    .where('editor_id', '=', editor)
    .where('seq', '>', after)
    .where('seq', '<=', upTo)
    .orderBy('seq'),
);

/** A message, and its number, which grows with each message of the store. */
export interface MessageNumber {
  readonly id: string;
  readonly seq: number;
}

const ofPerson = statement<{ person: string; limit: number }>()((db, { person, limit }) =>
  db
    .selectFrom('editor_message')
    .innerJoin('editor', 'editor.id', 'editor_message.editor_id')
    .select(['editor_message.id', 'editor_message.seq'])
    .where('editor.person_id', '=', person)
    .orderBy('editor_message.seq', 'desc')
    .limit(limit),
);

/** @returns what was deleted; undefined if the editor has no such message */
export const deleteEditorMessage = findBy(['editor', 'id'], (db, { editor, id }) =>
  db.deleteFrom('editor_message').where('id', '=', id).where('editor_id', '=', editor).returning(columns),
);

/** The newest messages in all editors of a person, from the oldest to the newest. */
export async function selectMessagesOf(executor: Executor, person: string, limit: number): Promise<MessageNumber[]> {
  const rows = await executor.all(ofPerson, { person, limit });
  return rows.reverse();
}

/** A message in an editor of this person's. */
export const findMessageOf = findBy(['id', 'person'], (db, { id, person }) =>
  db
    .selectFrom('editor_message')
    .innerJoin('editor', 'editor.id', 'editor_message.editor_id')
    .select(columns)
    .where('editor_message.id', '=', id)
    .where('editor.person_id', '=', person),
);

const sizes = textSizes('editor_message', 'editor', 'message');

export function editorMessagePages(editor: string): Pages<EditorMessage> {
  return textPages(sizes, list, { editor }, (message) => message);
}
