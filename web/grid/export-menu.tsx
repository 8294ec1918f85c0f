import { operations } from 'virtual:operations';
import type { RowsResult } from './grid-model.ts';
import { Menu } from './menu.tsx';

/** Downloads the whole result. The service names the file after the data source and the time. */
export function ExportMenu({ result }: { readonly result: RowsResult }) {
  const { hasMore, error } = result.detail;
  if (hasMore) return <span class="quiet">You can download the rows once all have come.</span>;
  return (
    <Menu label="Download">
      <a href={exportPath(result, 'csv')} download="">
        All rows as CSV
      </a>
      <a href={exportPath(result, 'json')} download="">
        All rows as JSON
      </a>
      {error !== undefined && <p class="hint">The rows are incomplete, and the name of the file says so.</p>}
      <p class="hint">
        In CSV, a text that a spreadsheet would take for a formula (it begins with =, +, −, @ or a tab) has an
        apostrophe before it. NULL is an empty field, and an empty text is two quotes.
      </p>
    </Menu>
  );
}

function exportPath({ queryId, ordinalPosition }: RowsResult, format: 'csv' | 'json'): string {
  const [, path] = operations['exportMyQueryResult'] ?? ['', ''];
  const place = path.replace(':query', encodeURIComponent(queryId)).replace(':resultIndex', String(ordinalPosition));
  return `${place}?format=${format}`;
}
