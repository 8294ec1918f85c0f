import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { railNames } from '@rolecall/reconcile';
import { root } from './markdown.ts';

const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

/** Of rails that are about undeclared objects, a Workspace speaks in the operator; about two of one, the younger object. */
const notOfObjects = new Set(['still-referenced', 'override-unused', 'declared-twice']);

describe('the words that programs and people look up', () => {
  it('has every rail in the table of docs/concepts.md, and no other', () => {
    const [, table = ''] = read('docs/concepts.md').split('## Rails and overrides');
    const named = [...(table.split('\n## ')[0] ?? '').matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, rail]) => rail);
    assert.deepEqual(named.toSorted(), railNames.toSorted());
  });

  it('has every reason of a condition in the table of docs/operator.md, and no other', () => {
    const sources = globSync('operator/**/*.ts', { cwd: root }).map(read).join('\n');
    const written = [...sources.matchAll(/(?:(?:stalled|waiting)\(\s*|reason: )'([A-Z]\w+)'/g)].map(([, one]) => one);
    const ofRails = railNames.filter((rail) => !notOfObjects.has(rail)).map(pascal);
    const [, table = ''] = read('docs/operator.md').split('| reason | what it means |');
    const [rows = ''] = table.split('\n\n');
    const named = [...rows.matchAll(/^\| ([A-Z][\w, ]+) \|/gm)].flatMap(([, cell = '']) => cell.split(', '));
    assert.deepEqual(named.toSorted(), [...new Set([...written, ...ofRails])].toSorted());
  });
});

function pascal(rail: string): string {
  return rail.replace(/(?:^|-)(\w)/g, (_all, letter: string) => letter.toUpperCase());
}
