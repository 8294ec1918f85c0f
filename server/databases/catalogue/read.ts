import type { ConnectionUri } from '@rolecall/api';
import type { Guard } from '../guard/index.ts';
import type { CommandSink } from '../rows/results.ts';
import { runCommands } from '../run.ts';
import { catalogueStatements, type TableName } from './statements.ts';

/** The most tables of a database and columns of a table that are read. */
const mostTables = 50_000;
const mostColumns = 2000;

/** The largest answer of a catalogue, in bytes. */
const mostBytes = 16 * 1024 * 1024;

export interface CatalogueTable {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'view';
}

export interface CatalogueColumn {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
}

export interface CatalogueOptions {
  readonly guard: Guard;
  readonly signal: AbortSignal;
  /** Time limit of the database for one statement, in milliseconds. */
  readonly statementTimeoutMs: number;
}

/** The catalogue of a database could not be read. */
export class CatalogueError extends Error {
  override name = 'CatalogueError';
}

/**
 * Reads which tables and views the account of a connection sees.
 *
 * @throws CatalogueError with the database's message
 */
export async function readTables(uri: ConnectionUri, options: CatalogueOptions) {
  const { defaultSchema, tables } = catalogueStatements[uri.type];
  const [first, rows = []] = await ask(uri, [defaultSchema, tables(mostTables + 1)], options);
  return {
    defaultSchema: first?.[0]?.[0] ?? null,
    tables: rows.slice(0, mostTables).map(
      ([schema, name, kind]): CatalogueTable => ({
        schema: schema ?? '',
        name: name ?? '',
        kind: kind === 'view' ? 'view' : 'table',
      }),
    ),
    isComplete: rows.length <= mostTables,
  };
}

/**
 * Reads the columns of a table or view; none if there is no such table.
 *
 * @throws CatalogueError with the database's message
 */
export async function readColumns(uri: ConnectionUri, table: TableName, options: CatalogueOptions) {
  const [rows = []] = await ask(uri, [catalogueStatements[uri.type].columns(table, mostColumns + 1)], options);
  return {
    columns: rows.slice(0, mostColumns).map(
      ([name, type, isNullable]): CatalogueColumn => ({
        name: name ?? '',
        type: type ?? '',
        isNullable: isNullable === 'YES',
      }),
    ),
    isComplete: rows.length <= mostColumns,
  };
}

type Rows = readonly (readonly (string | null)[])[];

/** @returns the rows of each statement */
async function ask(uri: ConnectionUri, statements: readonly string[], options: CatalogueOptions): Promise<Rows[]> {
  const results = statements.map((): (string | null)[][] => []);
  let left = mostBytes;
  const ignore = (): void => undefined;
  const sink: CommandSink = {
    started: ignore,
    columns: ignore,
    rows: (result, { bytes }) => {
      left -= bytes.length;
      if (left < 0) throw new CatalogueError('the catalogue of the database is too large');
      // Rows of texts and nulls, as the sessions write them.
      const rows = JSON.parse(`[${bytes.toString()}]`) as (string | null)[][];
      for (const row of rows) results[result]?.push(row);
    },
    completed: ignore,
    failed: ignore,
  };
  const outcome = await runCommands(uri, statements, sink, options);
  if (!outcome.success) throw new CatalogueError(outcome.message);
  return results;
}
