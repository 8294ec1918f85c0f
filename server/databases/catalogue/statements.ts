import type { DataSourceType } from '@rolecall/api';

/** Statements that ask the catalogue of a database. They are fixed; a name goes in only as hexadecimal digits. */
interface CatalogueStatements {
  /** One cell: the schema of names that are written without one. */
  readonly defaultSchema: string;
  /** Rows of schema, name, and `table` or `view`, in the order of the names. */
  readonly tables: (limit: number) => string;
  /** Rows of name, type, and `YES` for a column that may be null, in the table's order. */
  readonly columns: (table: TableName, limit: number) => string;
}

export interface TableName {
  readonly schema: string;
  readonly table: string;
}

const hexOf = (name: string): string => Buffer.from(name).toString('hex');

const postgresqlText = (name: string): string =>
  `pg_catalog.convert_from('\\x${hexOf(name)}'::pg_catalog.bytea, 'UTF8')`;
const mysqlText = (name: string): string => `_utf8mb4 X'${hexOf(name)}'`;
const sqliteText = (name: string): string => `CAST(X'${hexOf(name)}' AS TEXT)`;

const postgresql: CatalogueStatements = {
  defaultSchema: 'SELECT pg_catalog.current_schema()',
  tables: (limit) => `
    SELECT n.nspname, c.relname, CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
      AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_toast%'
      AND n.nspname NOT LIKE 'pg\\_temp%' AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
      AND (pg_catalog.has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE')
        OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE'))
    ORDER BY n.nspname <> pg_catalog.current_schema(), n.nspname, c.relname LIMIT ${limit}`,
  columns: ({ schema, table }, limit) => `
    SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN 'NO' ELSE 'YES' END
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = ${postgresqlText(schema)} AND c.relname = ${postgresqlText(table)}
      AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attnum LIMIT ${limit}`,
};

const mysql: CatalogueStatements = {
  defaultSchema: 'SELECT DATABASE()',
  tables: (limit) => `
    SELECT table_schema, table_name, CASE WHEN table_type LIKE '%VIEW' THEN 'view' ELSE 'table' END
    FROM information_schema.tables
    WHERE table_schema NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')
    ORDER BY table_schema <> COALESCE(DATABASE(), ''), table_schema, table_name LIMIT ${limit}`,
  columns: ({ schema, table }, limit) => `
    SELECT column_name, column_type, is_nullable FROM information_schema.columns
    WHERE table_schema = ${mysqlText(schema)} AND table_name = ${mysqlText(table)}
    ORDER BY ordinal_position LIMIT ${limit}`,
};

const sqlite: CatalogueStatements = {
  defaultSchema: "SELECT 'main'",
  tables: (limit) => `
    SELECT 'main', name, type FROM sqlite_schema
    WHERE type IN ('table', 'view') AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name LIMIT ${limit}`,
  // The schema is always `main`: a data source is one file.
  columns: ({ table }, limit) => `
    SELECT name, type, CASE "notnull" WHEN 0 THEN 'YES' ELSE 'NO' END
    FROM pragma_table_xinfo(${sqliteText(table)}) WHERE hidden <> 1 LIMIT ${limit}`,
};

export const catalogueStatements: Readonly<Record<DataSourceType, CatalogueStatements>> = {
  postgresql,
  mysql,
  mariadb: mysql,
  sqlite,
};
