import type { EditorDetail } from '@rolecall/api';
import { changeBy, findBy, findWith, listBy, runBy, runWith } from './operations.ts';
import { type Pages, pageRows, textPages, textSizes } from './pages.ts';
import { statement } from './statement.ts';

const listed = ['id', 'title', 'version', 'created_at as createdAt'] as const;

/** The tabs of an editor without their texts, at most a page of them. */
export const selectTabsOf = listBy(['editor'], (db, { editor }) =>
  db.selectFrom('editor_tab').select(listed).where('editor_id', '=', editor).orderBy('seq').limit(pageRows),
);

export const findTab = findBy(['editor', 'id'], (db, { editor, id }) =>
  db
    .selectFrom('editor_tab')
    .select([...listed, 'text'])
    .where('id', '=', id)
    .where('editor_id', '=', editor),
);

type NewTab = { id: string; editor: string; title: string; text: string; at: string };

export const insertEditorTab = runWith<NewTab>((db, tab) =>
  db
    .insertInto('editor_tab')
    .values({ id: tab.id, editor_id: tab.editor, title: tab.title, text: tab.text, created_at: tab.at }),
);

/** Changes a tab. @returns the tab as it is now; undefined if it has another version than `from` */
export const updateTab = findWith<{ id: string; title: string; text: string; from: number }>()(
  (db, { id, title, text, from }) =>
    db
      .updateTable('editor_tab')
      .set((eb) => ({ title, text, version: eb('version', '+', 1) }))
      .where('id', '=', id)
      .where('version', '=', from)
      .returning([...listed, 'text']),
);

/** @returns whether there was one */
export const deleteTab = changeBy(['editor', 'id'], (db, { editor, id }) =>
  db.deleteFrom('editor_tab').where('id', '=', id).where('editor_id', '=', editor).returning('id'),
);

export const deleteEditorTabs = runBy(['editor'], (db, { editor }) =>
  db.deleteFrom('editor_tab').where('editor_id', '=', editor),
);

const tabs = statement<{ editor: string; after: number; upTo: number }>()((db, { editor, after, upTo }) =>
  db
    .selectFrom('editor_tab')
    .select(['id', 'title', 'text', 'created_at as createdAt'])
    .where('editor_id', '=', editor)
    .where('seq', '>', after)
    .where('seq', '<=', upTo)
    .orderBy('seq'),
);

const sizes = textSizes('editor_tab', 'editor', 'text');

export function editorTabPages(editorId: string): Pages<EditorDetail['tabs'][number]> {
  return textPages(sizes, tabs, { editor: editorId }, (tab) => tab);
}
