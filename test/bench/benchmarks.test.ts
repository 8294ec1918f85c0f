import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderPage } from '../../bench/report/benchmarks-page.ts';
import { type Result, readResults, saveResult } from '../../bench/report/results.ts';
import { runAll } from '../../bench/report/run-all.ts';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';

const resultOf = (name: string, value: number): Result => ({
  name,
  figures: { 'calls ÷ fewest': value },
  notes: { 'calls ÷ fewest': 'held to 1.00 | or less' },
  machine: { cpu: 'a', cores: 2, memoryGiB: 8, node: 'v26.0.0', platform: 'linux x64' },
  measuredAt: '2027-01-01T00:00:00.000Z',
  commit: 'abc',
});

describe('the benchmarks', () => {
  it('go on when one fails, and keep what it had measured before', async () => {
    using folder = temporaryFolder();
    saveResult(resultOf('plans', 7), folder.path);
    const measure = (name: string): Promise<Result> =>
      name === 'plans' ? Promise.reject(new Error('no psql')) : Promise.resolve(resultOf(name, 1));
    const failures = await runAll(['apply', 'plans', 'load'], measure, (result) => {
      saveResult(result, folder.path);
    });
    assert.deepEqual(failures, [{ name: 'plans', reason: 'no psql' }]);
    const kept = readResults(folder.path).map(({ name, figures }) => [name, figures['calls ÷ fewest']]);
    assert.deepEqual(kept, [
      ['apply', 1],
      ['load', 1],
      ['plans', 7],
    ]);
  });

  it('have a page with each figure, what it is held to, and how to repeat it', () => {
    const page = renderPage([resultOf('apply', 1.5)]);
    assert.match(page, /^\| calls ÷ fewest \| 1\.5 \| held to 1\.00 \\\| or less \|$/m);
    assert.match(page, /npm run bench -- apply --save/);
    assert.match(page, /^## store\n\n.*\n\nNot measured yet/m);
  });
});
