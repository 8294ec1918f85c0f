import type { QueryResult } from '@rolecall/api';
import { type Row, writeCsv, writeJson, writeNdjson } from '@rolecall/server/export';
import { counted } from '../../output/words.ts';
import { QueryFailedError } from './query-failed.ts';
import type { RunningQuery } from './running-query.ts';
import { type TableStyle, writeTable } from './write-table.ts';

export type QueryFormat = 'table' | 'csv' | 'json' | 'ndjson';

type RowsResult = Extract<QueryResult, { type: 'query' }>;

interface Printing {
  readonly format: QueryFormat;
  readonly style: TableStyle;
  /** Prints notes that do not belong among rows. */
  readonly tell: (text: string) => void;
  /** The statement of a result, where it is certain. */
  readonly statementOf: (result: number) => string | undefined;
}

const writers = { csv: writeCsv, json: writeJson, ndjson: writeNdjson };

/**
 * Gives the text of all results, while they arrive.
 *
 * @throws QueryFailedError at the place where the query failed
 */
export async function* printResults(query: RunningQuery, printing: Printing): AsyncGenerator<string> {
  let tables = 0;
  for await (const result of query.results()) {
    switch (result.type) {
      case 'query':
        if (tables > 0 && (printing.format === 'table' || printing.format === 'csv')) yield '\n';
        tables += 1;
        yield* printRows(query, result, printing);
        break;
      case 'update':
        yield* printUpdate(result.detail.updateCount, printing);
        break;
      case 'error':
        throw new QueryFailedError(query.id, result.detail.error, printing.statementOf(result.ordinalPosition));
    }
  }
}

async function* printRows(query: RunningQuery, result: RowsResult, printing: Printing): AsyncGenerator<string> {
  const { format, style } = printing;
  const { columns } = result.detail;
  const rows = query.rows(result.ordinalPosition);
  if (format !== 'table') {
    yield* writers[format](columns, rows);
    return;
  }
  let count = 0;
  yield* writeTable(columns, counting(), style);
  yield `(${counted(count, 'row')})\n`;

  async function* counting(): AsyncGenerator<Row[]> {
    for await (const some of rows) {
      count += some.length;
      yield some;
    }
  }
}

function* printUpdate(updateCount: number | null, { format, tell }: Printing): Generator<string> {
  const words = updateCount === null ? 'Done.' : `${counted(updateCount, 'row')} changed.`;
  if (format === 'table') yield `${words}\n`;
  else if (format === 'json') yield `${JSON.stringify({ updateCount })}\n`;
  else tell(words);
}
