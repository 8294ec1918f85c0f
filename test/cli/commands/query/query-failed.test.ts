import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainPalette } from '@rolecall/reconcile';
import { QueryFailedError } from '../../../../cli/commands/query/query-failed.ts';

describe('the place of an error', () => {
  it('has its line, without the end of a line of Windows', () => {
    const error = new QueryFailedError('id', 'wrong (at character 5)', 'a\r\nbc\r\nd');
    assert.deepEqual(error.details, { query: 'id', line: 2, column: 2 });
    assert.match(error.render(plainPalette), / 2 \| bc\n/);
  });

  it('is marked under its line, with only the text around it, in which no control character acts', () => {
    const sql = `${'a'.repeat(500)}\u001béx${'b'.repeat(500)}`;
    const error = new QueryFailedError('id', 'wrong (at character 503)', sql);
    const [, line = '', mark = ''] = error.render(plainPalette).split('\n');
    assert.ok(line.length < 150);
    assert.ok(!line.includes('\u001b'));
    assert.equal(line[mark.indexOf('^')], 'x');
  });
});
