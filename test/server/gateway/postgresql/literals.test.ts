import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isInLiteral } from '../../../../server/gateway/postgresql/literals.ts';

/** Marks each place that is within a quoted text. */
function marked(text: string): string {
  return Array.from({ length: text.length }, (_, at) => (isInLiteral(text, at) ? 'x' : '.')).join('');
}

const texts: Readonly<Record<string, string>> = {
  "a 'b' c": '...xx..',
  "'it''s'.": '.xxx.xx.',
  "\"a'b\" 'c'": '.......xx',
  "-- it's\n'a'": '.........xx',
  "-- it's": '.......',
  "/* ' /* */ ' */ 'a'": '.................xx',
  "/* ' 'a'": '........',
  '$$ a $$ b': '..xxxxx..',
  '$a$ $b$ $$ $a$ b': '...xxxxxxxxxxx..',
  'a$b$ c $b$ d': '..........xx',
  '$1 $2 $$a$$': '........xxx',
  '$é$ a $é$.': '...xxxxxx.',
  "'a": '.x',
};

describe('the places of quoted texts in a statement', () => {
  for (const [text, wanted] of Object.entries(texts)) {
    it(`are found in ${text}`, () => {
      assert.equal(marked(text), wanted);
    });
  }
});
