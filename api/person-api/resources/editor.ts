import { z } from 'zod';
import { line, shortId, text, timestamp } from '../../fields.ts';
import { editorSchema } from '../../resources/editor.ts';
import { snippetBounds } from '../../text-rules.ts';

export const tabId = shortId('t4Ru7vEy1ZhG').describe('identifier of the tab');

const title = line(255, 'Untitled 1').describe('title of the tab');
const tabText = text({ min: 0, max: snippetBounds.text.max }, 'select 1').describe('text of the tab');
const version = z
  .int()
  .min(1)
  .max(2_147_483_647)
  .meta({ description: 'counts the changes of the tab', examples: [3] });

const listed = { id: tabId, title: z.string().meta({ examples: ['Untitled 1'] }), version, createdAt: timestamp() };

export const listedTab = z
  .object(listed)
  .meta({ id: 'ListedTab', description: 'A tab of an editor, without its text.' });

export const tabSchema = z
  .object({ ...listed, text: z.string().meta({ examples: ['select 1'] }) })
  .meta({ id: 'Tab', description: 'A tab of an editor.' });

export const myEditor = editorSchema
  .extend({ tabs: z.array(listedTab) })
  .meta({ id: 'MyEditor', description: "One of the person's editors, with its tabs." });

/** Body that creates a tab. */
export const newTab = z.strictObject({ title, text: tabText.default('') });

/** Body that changes a tab: the fields that are sent change, the others stay. */
export const tabChange = z.strictObject({
  title: title.optional(),
  text: tabText.optional(),
  version: version.describe('the version that the change was made from'),
});

export const tabSaved = z
  .object({
    saved: z.boolean().meta({
      description: 'false if the tab has another version by now: then nothing was changed, and `tab` is as it is there',
      examples: [true],
    }),
    tab: tabSchema,
  })
  .meta({ id: 'TabSaved', description: 'What became of a change of a tab.' });

export type MyEditor = z.output<typeof myEditor>;
export type Tab = z.output<typeof tabSchema>;
