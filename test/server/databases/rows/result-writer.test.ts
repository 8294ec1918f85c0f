import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ResultWriter } from '../../../../server/databases/rows/result-writer.ts';
import { beginRow } from '../../../../server/databases/rows/row-buffer.ts';

it('a database waits for a slow sink by the memory that rows take, however few there are in a result', () => {
  const never = new Promise<void>(() => undefined);
  const nothing = (): void => undefined;
  const sink = { started: nothing, columns: nothing, rows: () => never, completed: nothing, failed: nothing };
  const writer = new ResultWriter(sink, 1024 * 1024, nothing);
  let results = 0;
  for (; results < 1000 && !writer.isPaused; results += 1) {
    writer.columns([]);
    const buffer = writer.bufferFor(10);
    beginRow(buffer);
    writer.rowDone(buffer, buffer.end + 2);
    writer.completed({ kind: 'query', updateCount: null });
  }
  assert.ok(results < 10, `${results} results, each with a buffer of its own, before the database had to wait`);
});
