import type { Editor, PersonAnswerOf, Tab } from '@rolecall/api';
import { created, deleted, type Shown } from '../../audit/change.ts';
import { showEditor } from '../../audit/show.ts';
import { laterThan } from '../../clock.ts';
import { existingEditor } from '../../handlers/existing.ts';
import { newId } from '../../ids.ts';
import { notFound, Refusal } from '../../refusal.ts';
import { findDataSource } from '../../store/data-source.ts';
import { deleteEditor, findEditorOf, insertEditor, personEditorPages, touchEditor } from '../../store/editor.ts';
import { deleteTab, findTab, insertEditorTab, selectTabsOf, updateTab } from '../../store/editor-tab.ts';
import { readAll } from '../../store/pages.ts';
import type { Executor } from '../../store/store.ts';
import type { PersonContext, PersonHandlers } from '../handler.ts';

/** The most editors of one person, and the most tabs that are made in one editor. */
const mostEditors = 1000;
const mostTabs = 100;

export const myEditorHandlers = {
  openEditor: async ({ params }, { store, clock }, { person }) => {
    const { dataSource } = params;
    const open = await store.read((executor) => findEditorOf(executor, person.id, dataSource));
    if (open !== undefined) return store.read((executor) => showMyEditor(executor, open));
    const [id, at] = [newId(), clock().toISOString()];
    return store.write(['editor'], async (executor, record) => {
      // Another window may have opened it in the meantime.
      const openedEditor = await findEditorOf(executor, person.id, dataSource);
      if (openedEditor !== undefined) return showMyEditor(executor, openedEditor);
      if ((await findDataSource(executor, dataSource)) === undefined) throw notFound('data source', dataSource);
      const editors = await readAll(executor, personEditorPages(person.id));
      if (editors.length >= mostEditors) throw tooMany(`you have ${mostEditors} editors`);
      await insertEditor(executor, { id, person: person.id, dataSource, at });
      await insertEditorTab(executor, { id: newId(), editor: id, title: 'Untitled 1', text: '', at });
      const editor = await existingEditor(executor, id);
      record([created(showOpen(editor))]);
      return showMyEditor(executor, editor);
    });
  },

  listMyEditors: async (_request, { store }, { person }) =>
    store.read((executor) => readAll(executor, personEditorPages(person.id))),

  getMyEditor: async ({ params }, { store }) =>
    store.read(async (executor) => showMyEditor(executor, await existingEditor(executor, params.editor))),

  deleteMyEditor: async ({ params }, { store }) => {
    await store.write(['editor'], async (executor, record) => {
      const editor = await existingEditor(executor, params.editor);
      await deleteEditor(executor, params.editor);
      record([deleted(showOpen(editor))]);
    });
    return {};
  },

  createTab: async ({ params, body }, context) => {
    const tab = { id: newId(), ...body };
    return changeEditor(params.editor, context, async (executor, at) => {
      const tabs = await selectTabsOf(executor, params.editor);
      if (tabs.length >= mostTabs) throw tooMany(`the editor has ${tabs.length} tabs`);
      await insertEditorTab(executor, { ...tab, editor: params.editor, at });
      return { ...tab, version: 1, createdAt: at };
    });
  },

  getTab: async ({ params }, { store }) => store.read((executor) => requireTab(executor, params)),

  changeTab: async ({ params, body }, context) =>
    changeEditor(params.editor, context, async (executor) => {
      const storedTab = await requireTab(executor, params);
      const { title = storedTab.title, text = storedTab.text, version } = body;
      const tab = await updateTab(executor, { id: storedTab.id, title, text, from: version });
      return { saved: tab !== undefined, tab: tab ?? storedTab };
    }),

  deleteTab: async ({ params }, context) =>
    changeEditor(params.editor, context, async (executor) => {
      if (!(await deleteTab(executor, params.editor, params.tab))) throw notFound('tab', params.tab);
      return {};
    }),
} satisfies Partial<PersonHandlers>;

/**
 * Changes what is in an editor. The audit trail has no entry for it: pages save what is typed every second, and what
 * matters to it is what runs.
 */
async function changeEditor<T>(
  id: string,
  { store, clock }: PersonContext,
  change: (executor: Executor, at: string) => Promise<T>,
): Promise<T> {
  return store.write(['editor'], async (executor) => {
    const { updatedAt } = await existingEditor(executor, id);
    const at = laterThan(updatedAt, clock);
    const changed = await change(executor, at);
    await touchEditor(executor, id, at);
    return changed;
  });
}

async function showMyEditor(executor: Executor, editor: Editor): Promise<PersonAnswerOf<'getMyEditor'>> {
  return { ...editor, tabs: await selectTabsOf(executor, editor.id) };
}

function showOpen({ person, dataSource, ...editor }: Editor): Shown {
  return showEditor({ ...editor, person: person.id, dataSource: dataSource.id });
}

async function requireTab(executor: Executor, { editor, tab }: { editor: string; tab: string }): Promise<Tab> {
  const storedTab = await findTab(executor, editor, tab);
  if (storedTab === undefined) throw notFound('tab', tab);
  return storedTab;
}

function tooMany(detail: string): Refusal {
  return new Refusal('limit_reached', `${detail}, which is as many as there may be`);
}
