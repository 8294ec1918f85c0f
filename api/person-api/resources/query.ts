import { z } from 'zod';
import { text } from '../../fields.ts';
import { dataSourceReference } from '../../resources/data-source.ts';
import { editorId } from '../../resources/editor.ts';
import { newQuery, querySchema } from '../../resources/query.ts';
import { tabId } from './editor.ts';

/** The largest page of queries that one request may ask for. */
export const maxQueryLimit = 100;

/** The longest text that queries can be searched for, in characters. */
export const longestSearch = 200;

/** The most parameters of a command. */
const mostParameters = 100;

const parameterName = /^[A-Za-z0-9_]{1,63}$/;

/** Body that executes a statement in an editor. */
export const newEditorQuery = newQuery
  .extend({
    tab: tabId.optional(),
    parameters: z
      .record(z.string(), text({ min: 0, max: 1_000_000 }, '42').nullable())
      .refine(
        (values) => Object.keys(values).every((name) => parameterName.test(name)),
        'must have names of letters, digits and _',
      )
      .refine(
        (values) => Object.keys(values).length <= mostParameters,
        `must have at most ${mostParameters} parameters`,
      )
      .optional()
      .meta({
        description:
          "values that the database binds to the one command, each a text or null, by name: '1' is $1 of PostgreSQL and the first ? of MySQL, MariaDB and SQLite; 'id' is :id, @id or $id of SQLite",
        examples: [{ '1': '42' }],
        // For the OpenAPI document; the rules above give the messages.

        propertyNames: { pattern: parameterName.source },
        maxProperties: mostParameters,
      }),
  })
  .refine(({ commands, parameters }) => parameters === undefined || commands.length === 1, {
    path: ['parameters'],
    message: 'need exactly one command',
  })
  .meta({ dependentSchemas: { parameters: { properties: { commands: { maxItems: 1 } } } } });

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
    stopReason: z
      .string()
      .nullable()
      .meta({ description: 'why it was stopped; null if nothing stopped it', examples: ['cancelled'] }),
  })
  .meta({ id: 'MyQuery', description: "One of the person's queries." });

export const queryCommands = z
  .object({ commands: z.array(z.string()).meta({ examples: [['select 1']] }) })
  .meta({ id: 'QueryCommands', description: 'What a query ran.' });

export const exportFormats = ['csv', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export type MyQuery = z.output<typeof myQuery>;
