/** Over the embedded store only: it has no store. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { diffLines } from '../../web/views/snippets/line-diff.ts';

const textOf = (lines: ReturnType<typeof diffLines>, left: 'removed' | 'added') =>
  lines
    .filter(({ kind }) => kind !== left)
    .map(({ text }) => text)
    .join('\n');

describe('the difference of two texts', () => {
  it('has both of them in it, whatever they are', () => {
    const line = fc.constantFrom('select 1', 'from a', '', 'where b');
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines(before, after);
        assert.equal(textOf(lines, 'added'), before);
        assert.equal(textOf(lines, 'removed'), after);
      }),
    );
  });

  it('changes no line that both have in the same place', () => {
    const kinds = diffLines('a\nb\nc\nd', 'a\nx\nc\nd\ne').map(({ kind, text }) => `${kind} ${text}`);
    assert.deepEqual(kinds, ['same a', 'removed b', 'added x', 'same c', 'same d', 'added e']);
  });

  it('of large texts without a common line is one block, at once', () => {
    const [before, after] = ['a', 'b'].map((name) => Array.from({ length: 5000 }, (_, n) => `${name}${n}`).join('\n'));
    assert.equal(diffLines(before ?? '', after ?? '').length, 10_000);
  });
});
