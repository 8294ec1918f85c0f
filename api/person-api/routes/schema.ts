import { columnsAsked, schemaColumns, schemaTables, tablesAsked } from '../resources/schema.ts';
import { definePersonRoutes, personApiPath } from '../route.ts';

const path = `${personApiPath}/data-source/:dataSource/schema` as const;

export const schemaRoutes = definePersonRoutes('Schema', {
  listSchemaTables: {
    method: 'GET',
    path: `${path}/table`,
    summary: 'List the tables and views of a data source',
    description: 'What the account of the data source sees in the catalogue of its database.',
    session: 'whole',
    reaches: true,
    query: tablesAsked,
    answer: schemaTables,
    problems: ['schema_unreadable'],
  },
  listSchemaColumns: {
    method: 'GET',
    path: `${path}/column`,
    summary: 'List the columns of a table or a view',
    session: 'whole',
    reaches: true,
    query: columnsAsked,
    answer: schemaColumns,
    problems: ['schema_unreadable'],
  },
});
