import { make } from './dom.ts';
import { stateNames } from './lane-view.ts';
import type { Row } from './rows.ts';
import { showTime } from './time.ts';

interface Column {
  readonly title: string;
  readonly text: (row: Row) => string;
  /** Order of rows, where it is not that of the text. */
  readonly order?: (row: Row) => number;
}

const columns: readonly Column[] = [
  { title: 'Person', text: ({ person }) => person },
  { title: 'Data source', text: ({ dataSource }) => dataSource },
  { title: 'Through', text: ({ role }) => (role === undefined ? 'permission' : `role ${role}`) },
  { title: 'State', text: ({ state }) => stateNames[state] },
  { title: 'From (UTC)', text: ({ start }) => (start === 0 ? '' : showTime(start)), order: ({ start }) => start },
  {
    title: 'Until (UTC)',
    text: ({ end }) => (end === undefined ? 'no end' : showTime(end)),
    order: ({ end }) => end ?? Infinity,
  },
  { title: 'Reason', text: ({ reason }) => reason },
  { title: 'Owner', text: ({ owner }) => owner },
  { title: 'Declared in', text: ({ declared }) => declared },
];

/** The column and the direction in which rows are sorted; undefined for the order of the groups. */
export type TableOrder = { readonly column: number; readonly isUp: boolean } | undefined;

/** A table of rows. Columns in which nothing stands are left out. */
export function drawTable(rows: readonly Row[], order: TableOrder, onOrder: (order: TableOrder) => void): HTMLElement {
  const shown = columns.filter(({ text }) => rows.some((row) => text(row) !== ''));
  const head = make(
    'tr',
    '',
    shown.map((column) => drawHeading(column, order, onOrder)),
  );
  const body = rows.map((row) =>
    make(
      'tr',
      row.state,
      shown.map(({ text }) => make('td', '', text(row))),
    ),
  );
  return make('table', 'rows', [make('thead', '', [head]), make('tbody', '', body)]);
}

function drawHeading(column: Column, order: TableOrder, onOrder: (order: TableOrder) => void): HTMLElement {
  const index = columns.indexOf(column);
  const isSorted = order?.column === index;
  const button = make('button', 'sort', column.title, { type: 'button' });
  button.addEventListener('click', () => {
    onOrder(!isSorted ? { column: index, isUp: true } : order.isUp ? { column: index, isUp: false } : undefined);
  });
  const sorted = !isSorted ? 'none' : order.isUp ? 'ascending' : 'descending';
  return make('th', '', [button], { scope: 'col', 'aria-sort': sorted });
}

/** The rows in an order; equal ones stay as they were. */
export function sortRows(rows: readonly Row[], order: TableOrder): readonly Row[] {
  const column = order === undefined ? undefined : columns[order.column];
  if (order === undefined || column === undefined) return rows;
  const { text, order: numberOf } = column;
  const direction = order.isUp ? 1 : -1;
  const compare = new Intl.Collator('en', { numeric: true }).compare;
  return rows.toSorted(
    (a, b) =>
      direction * (numberOf === undefined ? compare(text(a), text(b)) : compareNumbers(numberOf(a), numberOf(b))),
  );
}

const compareNumbers = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);
