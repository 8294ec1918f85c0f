import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Bound, describeBound, isMissed } from '../../bench/report/bound.ts';
import { describeFigure } from '../../bench/report/report.ts';
import { readResults } from '../../bench/report/results.ts';

describe('what a figure is held to', () => {
  it('is kept or missed', () => {
    const cases: [bound: Bound, kept: number, missed: number][] = [
      [['at most', 2.3], 2.3, 2.31],
      [['under', 50], 49.9, 50],
      [['at least', 0.6], 0.6, 0.59],
      [['exactly', 1], 1, 1.01],
    ];
    for (const [bound, kept, missed] of cases) {
      assert.deepEqual([isMissed(kept, bound), isMissed(missed, bound)], [false, true], describeBound(bound));
    }
  });

  it('is said behind what the figure is, and before it where it is missed', () => {
    assert.equal(describeFigure('a plan', 2, ['at most', 2.3]), 'a plan (at most 2.3)');
    assert.equal(describeFigure('a plan', 3, ['at most', 2.3]), 'Missed: a plan (at most 2.3)');
    assert.equal(describeFigure('a plan', 3, undefined), 'a plan');
  });

  it('is of a figure that was measured', () => {
    const results = readResults();
    assert.ok(results.some(({ bounds = {} }) => Object.keys(bounds).length > 0));
    for (const { name, figures, bounds = {} } of results) {
      for (const figure of Object.keys(bounds)) assert.ok(figure in figures, `${name} ${figure}`);
    }
  });
});
