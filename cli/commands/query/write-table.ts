import type { QueryResult } from '@rolecall/api';
import { isNumber } from '@rolecall/api/cells';
import { displayWidth } from '@rolecall/crds';
import { type Palette, visible } from '@rolecall/reconcile';
import type { Row } from '@rolecall/server/export';

type Columns = Extract<QueryResult, { type: 'query' }>['detail']['columns'];

export interface TableStyle {
  readonly palette: Palette;
  /** The columns of the terminal, in which each row has one line; undefined for a file or a pipe, which get cells whole. */
  readonly width: number | undefined;
}

const gap = '  ';

/** No column is made narrower than this to fit a terminal, and none wider for one long cell in a file. */
const [narrowest, widest] = [8, 100];

/**
 * Writes rows as a table. The first rows decide how wide its columns are, so that it takes the memory of a page. Numbers are on
 * the right; nothing in a cell acts on the terminal.
 */
export async function* writeTable(
  columns: Columns,
  rows: AsyncIterable<Row[]>,
  { palette, width }: TableStyle,
): AsyncGenerator<string> {
  const names = columns.map(({ name }) => visible(name));
  let widths: number[] | undefined;
  const begin = (some: readonly Row[]): string => {
    widths = fit(naturalWidths(names, some), width);
    const heading = names.map((name, index) => {
      const { shown, padded } = cut(name, index);
      return palette.strong(index === names.length - 1 ? shown : padded);
    });
    const rule = widths.map((width) => palette.dim('-'.repeat(width)));
    return `${heading.join(gap)}\n${rule.join(gap)}\n`;
  };
  const cut = (text: string, index: number) => {
    const room = widths?.[index] ?? 0;
    const shown = width === undefined ? text : shorten(text, room);
    const blanks = ' '.repeat(Math.max(0, room - displayWidth(shown)));
    return { shown, blanks, padded: shown + blanks };
  };
  const cell = (value: string | null, index: number): string => {
    const { shown, blanks } = cut(value === null ? 'NULL' : visible(value), index);
    if (value === null) return palette.dim(shown) + blanks;
    const column = columns[index];
    return column !== undefined && isNumber(value, column) ? blanks + shown : shown + blanks;
  };
  for await (const some of rows) {
    const heading = widths === undefined ? begin(some) : '';
    yield heading + some.map((row) => `${row.map(cell).join(gap).trimEnd()}\n`).join('');
  }
  if (widths === undefined) yield begin([]);
}

function naturalWidths(names: readonly string[], rows: readonly Row[]): number[] {
  return names.map((name, index) => {
    const cells = rows.map((row) => displayWidth(visible(row[index] ?? 'NULL')));
    return Math.min(
      widest,
      cells.reduce((most, width) => Math.max(most, width), displayWidth(name)),
    );
  });
}

/** Makes the widest columns narrower until all fit, as far as they remain readable. */
function fit(widths: readonly number[], room: number | undefined): number[] {
  if (room === undefined) return [...widths];
  const left = room - gap.length * (widths.length - 1);
  const total = (most: number): number => widths.reduce((sum, width) => sum + Math.min(width, most), 0);
  let most = widest;
  while (most > narrowest && total(most) > left) most -= 1;
  return widths.map((width) => Math.min(width, most));
}

/** The text in at most so many columns; where it was longer, it ends in an ellipsis. */
function shorten(text: string, width: number): string {
  if (text.length <= width / 2 || displayWidth(text) <= width) return text;
  let [taken, end] = [0, 0];
  for (const character of text) {
    taken += displayWidth(character);
    if (taken > width - 1) break;
    end += character.length;
  }
  return `${text.slice(0, end)}…`;
}
