import { type ConnectionUri, parseConnectionUri } from '@rolecall/api';
import { readColumns, readTables } from '../../databases/catalogue/read.ts';
import { existingDataSource, existingSealedDataSource } from '../../handlers/existing.ts';
import type { CatalogueWanted } from '../catalogues.ts';
import type { PersonContext, PersonHandlers } from '../handler.ts';

const defaultLimit = 1000;

export const schemaHandlers = {
  listSchemaTables: async ({ params, query }, context, { person }) => {
    const { prefix = '', limit = defaultLimit, fresh = false } = query;
    const asked = await wantedOf(params.dataSource, { person: person.id, what: 'tables', fresh }, context);
    const { value, readAt } = await context.catalogues.read(asked, readTables, ({ tables }) => tables.length);
    const wanted = prefix.toLowerCase();
    const matches = value.tables.filter(
      ({ schema, name }) =>
        name.toLowerCase().startsWith(wanted) || `${schema}.${name}`.toLowerCase().startsWith(wanted),
    );
    return {
      readAt: new Date(readAt).toISOString(),
      defaultSchema: value.defaultSchema,
      tables: matches.slice(0, limit),
      isComplete: value.isComplete && matches.length <= limit,
    };
  },

  listSchemaColumns: async ({ params, query }, context, { person }) => {
    const { schema, table, fresh = false } = query;
    const what = JSON.stringify([schema, table]);
    const asked = await wantedOf(params.dataSource, { person: person.id, what, fresh }, context);
    const { value, readAt } = await context.catalogues.read(
      asked,
      (uri, options) => readColumns(uri, { schema, table }, options),
      ({ columns }) => columns.length,
    );
    return { readAt: new Date(readAt).toISOString(), ...value };
  },
} satisfies Partial<PersonHandlers>;

async function wantedOf(
  dataSource: string,
  asked: Pick<CatalogueWanted, 'person' | 'what' | 'fresh'>,
  { store, seal }: PersonContext,
): Promise<CatalogueWanted> {
  const source = await store.read((executor) => existingDataSource(executor, dataSource));
  const uri = async (): Promise<ConnectionUri> => {
    const sealed = await store.read((executor) => existingSealedDataSource(executor, dataSource));
    return parseConnectionUri(seal.open(sealed.sealedUri, sealed.id));
  };
  return { ...asked, source, uri };
}
