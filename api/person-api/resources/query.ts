import { z } from 'zod';
import { dataSourceReference } from '../../resources/data-source.ts';
import { editorId } from '../../resources/editor.ts';
import { newQuery, querySchema } from '../../resources/query.ts';
import { tabId } from './editor.ts';

/** The largest page of queries that one request may ask for. */
export const maxQueryLimit = 100;

/** The longest text that queries can be searched for, in characters. */
export const longestSearch = 200;

/** What executing in an editor takes. */
export const newEditorQuery = newQuery.extend({ tab: tabId.optional() });

export const myQuery = querySchema
  .extend({
    dataSource: dataSourceReference,
    editor: editorId.nullable().describe('null if the editor was deleted'),
    tab: tabId.nullable().describe('the tab that it was run from; null for none'),
    beginning: z
      .string()
      .nullable()
      .meta({
        description: 'how its first command begins; null while the person does not reach the data source',
        examples: ['select 1'],
      }),
  })
  .meta({ id: 'MyQuery', description: "One of the person's queries." });

export const queryCommands = z
  .object({ commands: z.array(z.string()).meta({ examples: [['select 1']] }) })
  .meta({ id: 'QueryCommands', description: 'What a query ran.' });

export const exportFormats = ['csv', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export type MyQuery = z.output<typeof myQuery>;
