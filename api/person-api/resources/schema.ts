import { z } from 'zod';
import { wholeNumber } from '../../fields.ts';

/** The most tables that one answer has, and the longest name that a request may have. */
export const maxTableLimit = 10_000;
const longestName = 255;

const name = (description: string, example: string) => z.string().meta({ description, examples: [example] });

/** A name in a request: whatever a database allows in one. */
const givenName = (description: string, example: string) =>
  z
    .string()
    .min(1)
    .max(longestName)
    .meta({ description, examples: [example] });

const readAt = name('when the database was asked', '2026-11-02T08:30:00.000Z').meta({ format: 'date-time' });

export const schemaTable = z
  .object({
    schema: name('the schema, or the database of MySQL, that it is in', 'public'),
    name: name('its name', 'customer'),
    kind: z.enum(['table', 'view']).meta({ examples: ['table'] }),
  })
  .meta({ id: 'SchemaTable', description: 'A table or a view.' });

export const schemaTables = z
  .object({
    readAt,
    defaultSchema: name('the schema of names that are written without one', 'public').nullable(),
    tables: z.array(schemaTable).describe('in the order of their names, those of the default schema first'),
    isComplete: z.boolean().meta({ description: 'false if more tables match than the answer has', examples: [true] }),
  })
  .meta({ id: 'SchemaTables', description: 'Tables and views of a data source.' });

export const schemaColumns = z
  .object({
    readAt,
    columns: z.array(
      z
        .object({
          name: name('its name', 'id'),
          type: name('its type, as the database writes it', 'integer'),
          isNullable: z.boolean().meta({ examples: [false] }),
        })
        .meta({ id: 'SchemaColumn', description: 'A column of a table.' }),
    ),
    isComplete: z.boolean().meta({ description: 'false if the table has more columns', examples: [true] }),
  })
  .meta({ id: 'SchemaColumns', description: 'The columns of a table, in its order. None if there is no such table.' });

const fresh = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .optional()
  .meta({ description: 'asks the database, not what the service remembers for a minute', examples: ['false'] });

export const tablesAsked = z.strictObject({
  prefix: givenName('how the names begin, in whatever case; or the schema, a dot and the name', 'cust').optional(),
  limit: wholeNumber
    .refine((limit) => limit >= 1 && limit <= maxTableLimit, `must be 1 to ${maxTableLimit}`)
    .optional()
    .meta({
      description: `number of tables, at most ${maxTableLimit}; 1000 when left out`,
      minimum: 1,
      maximum: maxTableLimit,
      examples: ['100'],
    }),
  fresh,
});

export const columnsAsked = z.strictObject({
  schema: givenName('the schema of the table', 'public'),
  table: givenName('the name of the table', 'customer'),
  fresh,
});

export type SchemaTable = z.output<typeof schemaTable>;
export type SchemaTables = z.output<typeof schemaTables>;
export type SchemaColumns = z.output<typeof schemaColumns>;
