import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { generatedFiles as contractFiles } from '../../api/generate.ts';
import { generatedFiles as kindFiles } from '../../crds/generate.ts';
import { generatedFiles as planFiles } from '../../reconcile/generate.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Files that say so themselves, and those of formats that have no comments. */
function generatedFiles(): string[] {
  const texts = globSync('{api,crds,docs,operator,provider,reconcile}/**/*.{md,yaml}', {
    cwd: root,
    exclude: (name) => /(^|\/)(node_modules|dist)$/.test(name),
  });
  const marked = texts.filter((name) =>
    /by `?npm run generate`?.*; do not edit/.test(readFileSync(path.join(root, name), 'utf8').slice(0, 500)),
  );
  return [...new Set([...marked, ...contractFiles().keys(), ...kindFiles().keys(), ...planFiles().keys()])];
}

describe('.gitattributes', () => {
  const lines = readFileSync(path.join(root, '.gitattributes'), 'utf8').split('\n');
  const patterns = lines.flatMap((line) => /^(\S+) linguist-generated$/.exec(line)?.[1] ?? []);

  it('marks every file that is generated and committed', () => {
    const files = generatedFiles();
    assert.ok(files.includes('docs/kinds/role.md') && files.includes('provider/docs/index.md'));
    const unmarked = files.filter((name) => !patterns.some((pattern) => path.matchesGlob(name, pattern)));
    assert.deepEqual(unmarked, []);
  });

  it('marks nothing that is not there', () => {
    const lost = patterns.filter((pattern) => globSync(pattern, { cwd: root }).length === 0);
    assert.deepEqual(lost, []);
  });
});
