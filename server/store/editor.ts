import type { Editor } from '@rolecall/api';
import type { InferResult, Kysely } from 'kysely';
import { batchSize, changeInBatches } from './batches.ts';
import { changeBy, findBy, runBy, runWith } from './operations.ts';
import { type Pages, pageRows, rowPages } from './pages.ts';
import { dataSourceColumns, dataSourceReference, personColumns, personReference } from './references.ts';
import { statement } from './statement.ts';
import type { Executor } from './store.ts';
import type { Tables } from './tables.ts';

export const insertEditor = runWith<{ id: string; person: string; dataSource: string; at: string }>((db, editor) =>
  db.insertInto('editor').values({
    id: editor.id,
    person_id: editor.person,
    data_source_id: editor.dataSource,
    created_at: editor.at,
    updated_at: editor.at,
  }),
);

/** @returns whether there was one */
export const deleteEditor = changeBy(['id'], (db, { id }) =>
  db.deleteFrom('editor').where('id', '=', id).returning('id'),
);

/** Records that an editor was changed. */
export const touchEditor = runBy(['id', 'at'], (db, { id, at }) =>
  db.updateTable('editor').set({ updated_at: at }).where('id', '=', id),
);

/** Editors with their people and data sources, in the order of their creation. */
export const shownEditors = (db: Kysely<Tables>) =>
  db
    .selectFrom('editor')
    .innerJoin('person', 'person.id', 'editor.person_id')
    .innerJoin('data_source', 'data_source.id', 'editor.data_source_id')
    .select([
      'editor.id',
      'editor.created_at as createdAt',
      'editor.updated_at as updatedAt',
      ...personColumns,
      ...dataSourceColumns,
      'editor.seq',
    ])
    .orderBy('editor.seq');

export const findEditor = findBy(['id'], (db, { id }) => shownEditors(db).where('editor.id', '=', id), showEditor);

const page = (db: Kysely<Tables>, after: number) => shownEditors(db).where('editor.seq', '>', after).limit(pageRows);

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
    shownEditors(db).where('editor.person_id', '=', person).where('editor.data_source_id', '=', dataSource),
  showEditor,
);

/** Deletes the texts of all editors of a person or on a data source. */
const deleteTexts = (table: 'editor_tab' | 'editor_message', owner: 'person_id' | 'data_source_id') =>
  changeInBatches(['id'], batchSize.texts, (db, { id }, limit) => {
    const editors = db.selectFrom('editor').select('editor.id').where(owner, '=', id);
    const some = db.selectFrom(table).select('seq').where('editor_id', 'in', editors).limit(limit);
    return db.deleteFrom(table).where('seq', 'in', some).returning('seq');
  });

/** Deletes all editors of a person or on a data source, with their texts. @returns what was deleted */
function deleteEditorsOf(owner: 'person_id' | 'data_source_id') {
  const deleteTabs = deleteTexts('editor_tab', owner);
  const deleteMessages = deleteTexts('editor_message', owner);
  const deleteEditors = changeInBatches(['id'], batchSize.rows, (db, { id }, limit) =>
    db
      .deleteFrom('editor')
      .where('id', 'in', db.selectFrom('editor').select('id').where(owner, '=', id).limit(limit))
      .returning([
        'id',
        'person_id as person',
        'data_source_id as dataSource',
        'created_at as createdAt',
        'updated_at as updatedAt',
      ]),
  );
  return async (executor: Executor, id: string) => {
    await deleteTabs(executor, id);
    await deleteMessages(executor, id);
    return deleteEditors(executor, id);
  };
}

export const deletePersonEditors = deleteEditorsOf('person_id');

export const deleteDataSourceEditors = deleteEditorsOf('data_source_id');

export const editorPages = rowPages(list, {}, showEditor);

export function personEditorPages(person: string): Pages<Editor> {
  return rowPages(ofPerson, { person }, showEditor);
}

export function dataSourceEditorPages(dataSource: string): Pages<Editor> {
  return rowPages(ofDataSource, { dataSource }, showEditor);
}

export function showEditor(row: InferResult<ReturnType<typeof shownEditors>>[number]): Editor {
  const { id, createdAt, updatedAt } = row;
  return { id, dataSource: dataSourceReference(row), person: personReference(row), createdAt, updatedAt };
}

/** The data source of an editor of this person's. */
export const findEditorOfPerson = findBy(['id', 'person'], (db, { id, person }) =>
  db.selectFrom('editor').select('data_source_id as dataSource').where('id', '=', id).where('person_id', '=', person),
);
