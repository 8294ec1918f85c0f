import assert from 'node:assert/strict';
import { it } from 'node:test';
import { writeCsv } from '../../../server/export/csv.ts';
import type { Row } from '../../../server/export/rows.ts';

type Format = 'string' | 'integer' | 'numeric';

async function csvOf(cells: readonly (string | null)[], format: Format = 'string', name = 'a'): Promise<string[]> {
  const rows = async function* (): AsyncGenerator<Row[]> {
    await Promise.resolve();
    yield cells.map((cell) => [cell]);
  };
  const lines: string[] = [];
  for await (const text of writeCsv([{ name, format }] as unknown as Parameters<typeof writeCsv>[0], rows())) {
    lines.push(...text.split('\r\n').slice(0, -1));
  }
  return lines.slice(1);
}

it('each text of a CSV that a spreadsheet would take for a formula gets an apostrophe before it', async () => {
  for (const sign of ['=', '+', '-', '@', '\t', '＝', '＋', '－', '＠']) {
    assert.deepEqual(await csvOf([`${sign}1+1`]), [`'${sign}1+1`]);
    assert.deepEqual(await csvOf([`x${sign}1`]), [`x${sign}1`], 'only at the beginning');
  }
  assert.deepEqual(await csvOf(['\n=1']), [`"'\n=1"`]);
  assert.deepEqual(await csvOf(['\r=1']), [`"'\r=1"`]);
  assert.deepEqual(await csvOf(['=1,2', '="x"']), [`"'=1,2"`, `"'=""x"""`], 'also where it is quoted');
});

it('numbers of a CSV stay as they are, and a text in a column of numbers does not', async () => {
  assert.deepEqual(await csvOf(['-5', '1e-7', '0'], 'numeric'), ['-5', '1e-7', '0']);
  assert.deepEqual(await csvOf(['-5']), [`'-5`]);
  assert.deepEqual(await csvOf(['-5+cmd', '=1', 'NaN', '-0x1'], 'integer'), [`'-5+cmd`, `'=1`, 'NaN', `'-0x1`]);
});

it('the names of columns are guarded too', async () => {
  const lines: string[] = [];
  const none = async function* (): AsyncGenerator<Row[]> {
    await Promise.resolve();
  };
  const columns = [{ name: '=1+1', format: 'integer' }] as unknown as Parameters<typeof writeCsv>[0];
  for await (const text of writeCsv(columns, none())) lines.push(text);
  assert.deepEqual(lines, [`'=1+1\r\n`]);
});
