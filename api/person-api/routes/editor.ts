import { z } from 'zod';
import { emptyObject } from '../../fields.ts';
import { editorSchema } from '../../resources/editor.ts';
import { myEditor, newTab, tabChange, tabSaved, tabSchema } from '../resources/editor.ts';
import { definePersonRoutes, personApiPath } from '../route.ts';

const path = `${personApiPath}/editor/:editor` as const;

export const myEditorRoutes = definePersonRoutes('My editors', {
  openEditor: {
    method: 'POST',
    path: `${personApiPath}/data-source/:dataSource/editor`,
    summary: "Open the person's editor on a data source",
    description: 'Makes it if there is none yet, with an empty tab.',
    session: 'whole',
    reaches: true,
    answer: myEditor,
    problems: ['limit_reached'],
  },
  listMyEditors: {
    method: 'GET',
    path: `${personApiPath}/editor`,
    summary: "List the person's editors, also those on data sources that are not reached now",
    session: 'whole',
    answer: z.array(editorSchema),
  },
  getMyEditor: {
    method: 'GET',
    path,
    summary: 'Get an editor with its tabs',
    session: 'whole',
    ownObject: 'editor',
    reaches: true,
    answer: myEditor,
  },
  deleteMyEditor: {
    method: 'DELETE',
    path,
    summary: 'Delete an editor with its tabs',
    session: 'whole',
    ownObject: 'editor',
    answer: emptyObject,
  },
  createTab: {
    method: 'POST',
    path: `${path}/tab`,
    summary: 'Create a tab',
    session: 'whole',
    ownObject: 'editor',
    reaches: true,
    body: { encoding: 'json', schema: newTab },
    answer: tabSchema,
    problems: ['limit_reached'],
  },
  getTab: {
    method: 'GET',
    path: `${path}/tab/:tab`,
    summary: 'Get a tab with its text',
    session: 'whole',
    ownObject: 'editor',
    reaches: true,
    answer: tabSchema,
  },
  changeTab: {
    method: 'POST',
    path: `${path}/tab/:tab`,
    summary: 'Save the text of a tab, or rename it',
    description: 'Changes nothing if another window has changed the tab since; the answer then has what is there.',
    session: 'whole',
    ownObject: 'editor',
    reaches: true,
    body: { encoding: 'json', schema: tabChange },
    answer: tabSaved,
  },
  deleteTab: {
    method: 'DELETE',
    path: `${path}/tab/:tab`,
    summary: 'Delete a tab',
    session: 'whole',
    ownObject: 'editor',
    reaches: true,
    answer: emptyObject,
  },
});
