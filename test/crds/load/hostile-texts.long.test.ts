import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { head, loadFiles, personText } from './support.ts';

describe('a text that goes on and on', () => {
  it('of a million documents that are wrong ends at 10,000 errors', async () => {
    const { problems } = await loadFiles({ 'a.yaml': 'a: 1\n---\n'.repeat(1_000_000), 'b.yaml': head('Rol') });
    assert.equal(problems.length, 10_001);
    const last = problems.at(-1);
    assert.deepEqual([last?.code, last?.line], ['problems_many', 19_999]);
    assert.match(last?.remedy ?? '', /Correct these/);
  });

  it('of one document with very many unknown fields, tabs or equal keys ends there too', async () => {
    const fields = Array.from({ length: 30_000 }, (_, index) => `  k${index}: 1\n`).join('');
    const texts = [
      `${head('Role')}spec:\n${fields}`,
      `${head('Role')}spec:\n${'\tname: x\n'.repeat(30_000)}`,
      `${head('Role')}spec:\n${'  name: x\n'.repeat(30_000)}`,
    ];
    for (const text of texts) {
      const { problems } = await loadFiles({ 'a.yaml': text });
      assert.ok(problems.length > 0 && problems.length <= 10_001, String(problems.length));
    }
  });

  it('over many documents is no document that is too large', async () => {
    const other = `apiVersion: example.com/v1\nkind: Other\nspec: [${'1,'.repeat(20_000)}]\n`;
    const texts = { 'a.yaml': `${other}---\n`.repeat(30) + personText('ada'), 'b.yaml': `${other}...\n`.repeat(30) };
    const { definitions, ignored, problems } = await loadFiles(texts);
    assert.deepEqual([definitions.length, ignored.length, problems], [1, 60, []]);
  });

  it('keeps every warning of a large set', async () => {
    const people = Array.from({ length: 12_000 }, (_, index) => personText(`p${index}`).replace(/^apiVersion.*\n/, ''));
    const { definitions, problems } = await loadFiles({ 'a.yaml': people.join('---\n') });
    assert.deepEqual([definitions.length, problems.length], [12_000, 12_000]);
    assert.ok(problems.every(({ code }) => code === 'api_version_missing'));
  });

  it('of lines without an end is read, and its problem has a place', async () => {
    const { problems } = await loadFiles({ 'a.yaml': `${head('Role')}spec: { name: ${'x'.repeat(20_000_000)} }\n` });
    assert.deepEqual(
      problems.map(({ code, line, column }) => [code, line, column]),
      [['field_value', 5, 15]],
    );
  });
});
