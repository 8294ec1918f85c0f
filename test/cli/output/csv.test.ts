import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toCsv } from '../../../cli/output/csv.ts';

describe('a report as CSV', () => {
  it('quotes what would be taken for the end of a cell', () => {
    assert.equal(toCsv(['a'], [['x,y'], ['"x"'], ['x\ny'], ['x']]), 'a\r\n"x,y"\r\n"""x"""\r\n"x\ny"\r\nx\r\n');
  });

  it('disarms what a spreadsheet would take for a formula', () => {
    for (const sign of ['=', '+', '-', '@', '\t']) assert.equal(toCsv([], [[`${sign}1`]]), `\r\n'${sign}1\r\n`);
  });
});
