import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { railNames } from '@rolecall/reconcile';
import { root } from './markdown.ts';

const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

describe('the words that programs and people look up', () => {
  it('has every rail in the table of docs/concepts.md, and no other', () => {
    const [, table = ''] = read('docs/concepts.md').split('## Rails and overrides');
    const named = [...(table.split('\n## ')[0] ?? '').matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, rail]) => rail);
    assert.deepEqual(named.toSorted(), railNames.toSorted());
  });
});
