import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { problemCodes, problems } from '@rolecall/api';
import { generatedFiles } from '../../api/generate.ts';

const root = path.resolve(import.meta.dirname, '../..');

describe('the files generated from the wire contract', () => {
  for (const [name, content] of generatedFiles()) {
    it(`${name} is as committed`, async () => {
      const committed = await readFile(path.join(root, name), 'utf8');
      assert.ok(committed === content, `${name} differs from the code: run "npm run generate" and commit it`);
    });
  }

  it('document every problem', () => {
    const page = generatedFiles().get('docs/errors.md') ?? '';
    for (const code of problemCodes) {
      assert.ok(page.includes(`## \`${code}\``), code);
      assert.ok(page.includes(problems[code].remedy), code);
    }
  });
});
