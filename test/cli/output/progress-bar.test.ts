import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drawBar } from '../../../cli/output/progress.ts';
import { shellWord } from '../../../cli/output/words.ts';

describe('the bar of progress', () => {
  it('grows with what has ended', () => {
    assert.equal(drawBar(0, 4, 20), '[>            ] 0/4');
    assert.equal(drawBar(2, 4, 20), '[======>      ] 2/4');
    assert.equal(drawBar(4, 4, 20), '[=============] 4/4');
  });

  it('is never as wide as the terminal, so that it can be wiped', () => {
    for (let columns = 0; columns < 200; columns += 1) {
      const { length } = drawBar(123, 4567, columns);
      assert.ok(length < Math.max(columns, 1), `${length} in ${columns}`);
    }
  });
});

describe('a word of the shell', () => {
  it('is quoted only where it must be', () => {
    assert.equal(shellWord('removal-share:analysts/people'), 'removal-share:analysts/people');
    assert.equal(shellWord("it's $HOME"), "'it'\\''s $HOME'");
    assert.equal(shellWord(''), "''");
  });
});
