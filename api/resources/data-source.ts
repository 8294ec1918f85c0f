import { z } from 'zod';
import { asciiUri } from '../ascii-domain.ts';
import { ConnectionUriError, connectionUriPattern, dataSourceTypes, parseConnectionUri } from '../connection-uri.ts';
import { describeConnectionUri } from '../connection-uri-pattern.ts';
import { line, named, shortId, timestamp } from '../fields.ts';
import { longestName } from '../text-rules.ts';

export const dataSourceId = shortId('d3Rf8nYb6UcB').describe('identifier of the data source');
export const dataSourceName = line(longestName, 'Billing (production)').describe('display name');

const alias = line(longestName, 'billing');
/** In an answer: null when unset. */
export const dataSourceAlias = alias.nullable().meta({ description: 'unique alias', examples: ['billing'] });
/** In a request, where the empty string means null, which a form cannot carry. */
const aliasField = z
  .union([named(alias), z.literal(''), z.null()])
  .transform((value) => (value === '' ? null : value))
  .meta({ description: 'unique alias; empty for none', examples: ['billing'] });

/** A connection URI as a client sends it. */
export const connectionUriField = z
  .string()
  .overwrite(asciiUri)
  .regex(connectionUriPattern, 'must begin with postgresql://, mysql://, mariadb:// or sqlite:///')
  .superRefine((value, context) => {
    try {
      parseConnectionUri(value);
    } catch (error) {
      if (!(error instanceof ConnectionUriError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  })
  .meta({
    description:
      'connection URI; may contain the password; a host of another script is stored in its ASCII form (xn--…)',
    pattern: describeConnectionUri(),
    maxLength: 4096,
    examples: ['postgresql://reporting:secret@db.internal:5432/billing?sslmode=require'],
  });

const shownUri = (description: string, example: string) => z.string().meta({ description, examples: [example] });

const fields = {
  id: dataSourceId,
  name: dataSourceName,
  alias: dataSourceAlias,
  type: z.enum(dataSourceTypes).meta({ description: "derived from the URI's scheme", examples: ['postgresql'] }),
  configUri: shownUri('user, host and port of the connection URI', 'postgresql://reporting@db.internal:5432'),
  createdAt: timestamp(),
  updatedAt: timestamp(),
};

export const dataSourceSchema = z
  .object(fields)
  .meta({ id: 'DataSource', description: 'A connection to a database server, without its password.' });

export const dataSourceDetail = z
  .object({
    ...fields,
    configUri: shownUri(
      'the whole connection URI, with the password',
      'postgresql://reporting:secret@db.internal:5432/billing?sslmode=require',
    ),
  })
  .meta({ id: 'DataSourceDetail', description: 'A connection to a database server, with its password.' });

export const dataSourceReference = z
  .object({ id: dataSourceId, name: dataSourceName, alias: dataSourceAlias })
  .meta({ id: 'DataSourceReference', description: 'A data source, as another resource refers to it.' });

/** A data source as a snippet version shows it. */
export const snippetDataSource = z
  .object({ id: dataSourceId, name: dataSourceName, configUri: fields.configUri })
  .meta({ id: 'SnippetDataSource', description: 'The data source that a snippet version belongs to.' });

/** The request to create a data source. */
export const newDataSource = z.strictObject({
  name: named(dataSourceName),
  alias: aliasField.optional(),
  configUri: connectionUriField,
});

/** The request to update a data source: fields that are left out stay as they are. */
export const dataSourceChange = newDataSource.partial();

const versionPart = z.int().min(0);

export const connectionTest = z
  .discriminatedUnion('success', [
    z.object({
      success: z.literal(true),
      version: z.object({
        productName: z.string().meta({ examples: ['PostgreSQL'] }),
        productVersion: z.string().meta({ examples: ['18.4'] }),
        major: versionPart.meta({ examples: [18] }),
        minor: versionPart.meta({ examples: [4] }),
        patch: versionPart.meta({ examples: [0] }),
      }),
      warning: z
        .string()
        .exactOptional()
        .meta({ examples: ['the connection is not encrypted'] })
        .describe("what weakens the connection; absent if it uses TLS and checks the server's certificate"),
    }),
    z.object({ success: z.literal(false), message: z.string().meta({ examples: ['connect ECONNREFUSED'] }) }),
  ])
  .meta({ id: 'ConnectionTest', description: 'The result of an attempt to connect.' });

export type DataSource = z.output<typeof dataSourceSchema>;
export type DataSourceReference = z.output<typeof dataSourceReference>;
export type DataSourceDetail = z.output<typeof dataSourceDetail>;
export type ConnectionTest = z.output<typeof connectionTest>;
