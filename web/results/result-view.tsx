import type { DataSourceType, MyQuery, QueryResult } from '@rolecall/api';
import { isStopped, summary } from '../grid/values/summary.ts';
import { RowsView } from './rows-view.tsx';

interface ResultViewProps {
  readonly result: QueryResult;
  readonly query: MyQuery | undefined;
  readonly type: DataSourceType | undefined;
}

/** One result: rows, the number of changed rows, why the query was stopped, or an error in the database's words. */
export function ResultView({ result, query, type }: ResultViewProps) {
  if (result.type === 'query') return <RowsView result={result} type={type} />;
  if (result.type === 'update') return <p class="result-text">{summary(result)}</p>;
  if (isStopped(result, query)) return <p class="notice result-text stopped">{result.detail.error}</p>;
  return (
    <div class="notice bad result-text" role="alert">
      <p>{result.detail.error}</p>
    </div>
  );
}
