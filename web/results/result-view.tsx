import type { QueryResult } from '@rolecall/api';
import { isCancellation, summary } from '../grid/values/summary.ts';
import { RowsView } from './rows-view.tsx';

/** One result: rows, the number of changed rows, or an error in the database's words. */
export function ResultView({ result }: { readonly result: QueryResult }) {
  if (result.type === 'query') return <RowsView result={result} />;
  if (result.type === 'update') return <p class="result-text">{summary(result)}</p>;
  if (isCancellation(result)) return <p class="notice result-text cancelled">{result.detail.error}</p>;
  return (
    <div class="notice bad result-text" role="alert">
      <p>{result.detail.error}</p>
    </div>
  );
}
