import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isMissed } from '../../bench/bound.ts';
import { readResults } from '../../bench/results.ts';

describe('what a figure is held to', () => {
  it('is read at the end of its note, whichever way it is said', () => {
    for (const [note, kept, missed] of [
      ['a plan (at most 2.3)', 2.3, 2.31],
      ['a synthesis; at most 15', 15, 16],
      ['what checking costs. At most 1.5', 1.5, 1.51],
      ['until Ready (within 1,000)', 1000, 1001],
      ['1000 deletions (1,000 within 5)', 5, 5.1],
      ['what it computed (0.5 at most for a minute)', 0.5, 0.6],
      ['the delay (under 50)', 49, 50],
      ['memory (each under 1024 MiB)', 1023, 1024],
      ['memory (under 120 MB = 114.4 MiB)', 114.3, 114.4],
      ['requests ÷ others (at least 0.6)', 0.6, 0.59],
      ['changes a second (200 or more)', 200, 199],
      ['calls ÷ the fewest possible (exactly 1)', 1, 1.01],
    ] as const) {
      assert.deepEqual([isMissed(note, kept), isMissed(note, missed)], [false, true], note);
    }
    assert.equal(isMissed('node that only prints a line', 40), undefined);
    assert.equal(isMissed('all answered within 500 ms, for 4 s', 1), undefined);
  });

  it('is read of every figure that is kept and has a bound', () => {
    for (const { name, figures, notes } of readResults()) {
      for (const [figure, value] of Object.entries(figures)) {
        const note = notes[figure] ?? '';
        const isBound = /\([^()]*\b(?:at most|at least|within|under|exactly|or more)\b[^()]*\)$/.test(note);
        assert.equal(
          isMissed(note, value) !== undefined,
          isBound || /[;.] at most [\d.]+$/i.test(note),
          `${name} ${figure}`,
        );
      }
    }
  });
});
