import { z } from 'zod';
import { line, named, shortId, text, timestamp } from '../fields.ts';
import { messageBounds } from '../text-rules.ts';
import { dataSourceReference } from './data-source.ts';
import { personReference } from './person.ts';

export const editorId = shortId('e2Np6rCv8XfE').describe('identifier of the editor');
export const messageId = shortId('m8Qs3tDw5YgF').describe('identifier of the message');

const fields = {
  id: editorId,
  dataSource: dataSourceReference,
  person: personReference.describe('the person who created the editor'),
  createdAt: timestamp(),
  updatedAt: timestamp(),
};

export const editorSchema = z
  .object(fields)
  .meta({ id: 'Editor', description: "One person's workspace on one data source." });

const tab = z
  .object({
    id: shortId('t4Ru7vEy1ZhG'),
    title: z.string().meta({ examples: ['Untitled 1'] }),
    text: z.string().meta({ examples: ['select 1'] }),
    createdAt: timestamp(),
  })
  .meta({ id: 'EditorTab', description: 'A tab of an editor.' });

export const editorDetail = z
  .object({ ...fields, tabs: z.array(tab) })
  .meta({ id: 'EditorDetail', description: 'An editor with its tabs.' });

const title = line(255, 'Maintenance tonight').describe('title of the message');
const message = text(messageBounds, 'Billing is read-only from 22:00 UTC.').describe('text of the message');

export const editorMessage = z
  .object({ id: messageId, editorId, createdAt: timestamp(), title, message })
  .meta({ id: 'EditorMessage', description: 'A message shown in an editor.' });

/** The request to create a message. */
export const newEditorMessage = z.strictObject({ title: named(title), message });

export type Editor = z.output<typeof editorSchema>;
export type EditorDetail = z.output<typeof editorDetail>;
export type EditorMessage = z.output<typeof editorMessage>;
