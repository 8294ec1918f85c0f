import type { Editor, EditorDetail } from '@rolecall/api';
import { type Kysely, sql } from 'kysely';
import { changeWith, findBy, runBy } from './operations.ts';
import { type Pages, pageRows, rowPages, textPages } from './pages.ts';
import { statement } from './statement.ts';
import type { Tables } from './tables.ts';

export const insertEditor = changeWith<{ id: string; person: string; dataSource: string; at: string }>((db, editor) =>
  db.insertInto('editor').values({
    id: editor.id,
    person_id: editor.person,
    data_source_id: editor.dataSource,
    created_at: editor.at,
    updated_at: editor.at,
  }),
);

/** Records that an editor was changed. */
export const touchEditor = runBy(['id', 'at'], (db, { id, at }) =>
  db.updateTable('editor').set({ updated_at: at }).where('id', '=', id),
);

const shown = (db: Kysely<Tables>) =>
  db
    .selectFrom('editor')
    .innerJoin('person', 'person.id', 'editor.person_id')
    .innerJoin('data_source', 'data_source.id', 'editor.data_source_id')
    .select([
      'editor.id',
      'editor.created_at as createdAt',
      'editor.updated_at as updatedAt',
      'person.id as personId',
      'person.name as personName',
      'person.username',
      'person.email',
      'data_source.id as dataSourceId',
      'data_source.name as dataSourceName',
      'data_source.alias',
      'editor.seq',
    ])
    .orderBy('editor.seq');

export const findEditor = findBy(['id'], (db, { id }) => shown(db).where('editor.id', '=', id), editor);

const page = (db: Kysely<Tables>, after: number) => shown(db).where('editor.seq', '>', after).limit(pageRows);

const list = statement<{ after: number }>()((db, { after }) => page(db, after));

const ofPerson = statement<{ person: string; after: number }>()((db, { person, after }) =>
  page(db, after).where('editor.person_id', '=', person),
);

const ofDataSource = statement<{ dataSource: string; after: number }>()((db, { dataSource, after }) =>
  page(db, after).where('editor.data_source_id', '=', dataSource),
);

/** The oldest editor of a person on a data source. */
export const findEditorOf = findBy(
  ['person', 'dataSource'],
  (db, { person, dataSource }) =>
    shown(db).where('editor.person_id', '=', person).where('editor.data_source_id', '=', dataSource),
  editor,
);

type NewTab = { id: string; editor: string; title: string; text: string; at: string };

export const insertEditorTab = changeWith<NewTab>((db, tab) =>
  db
    .insertInto('editor_tab')
    .values({ id: tab.id, editor_id: tab.editor, title: tab.title, text: tab.text, created_at: tab.at }),
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

const tabSizes = statement<{ editor: string; after: number }>()((db, { editor, after }) =>
  db
    .selectFrom('editor_tab')
    .select(['seq', sql<number>`octet_length(text)`.as('bytes')])
    .where('editor_id', '=', editor)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(pageRows),
);

export const editorPages = rowPages(list, {}, editor);

export function personEditorPages(person: string): Pages<Editor> {
  return rowPages(ofPerson, { person }, editor);
}

export function dataSourceEditorPages(dataSource: string): Pages<Editor> {
  return rowPages(ofDataSource, { dataSource }, editor);
}

export function editorTabPages(editorId: string): Pages<EditorDetail['tabs'][number]> {
  return textPages(tabSizes, tabs, { editor: editorId }, (tab) => tab);
}

interface Row {
  id: string;
  createdAt: string;
  updatedAt: string;
  personId: string;
  personName: string;
  username: string;
  email: string;
  dataSourceId: string;
  dataSourceName: string;
  alias: string | null;
}

function editor(row: Row): Editor {
  const { id, createdAt, updatedAt, personId, personName, username, email } = row;
  return {
    id,
    dataSource: { id: row.dataSourceId, name: row.dataSourceName, alias: row.alias },
    person: { id: personId, name: personName, username, email },
    createdAt,
    updatedAt,
  };
}
