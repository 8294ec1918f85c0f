import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { formatProblem, hasErrors, kindNames, kinds, loadDefinitions } from '@rolecall/crds';
import { parseAllDocuments, stringify } from 'yaml';
import { type Schema, schemaOf } from '../../../tools/kinds/fields.ts';
import { exampleFolder, exampleOf, fileNameOf } from '../../../tools/kinds/page.ts';
import { root } from '../markdown.ts';

interface Written {
  readonly kind: string;
  readonly spec?: Readonly<Record<string, unknown>>;
}

const documents = (text: string): Written[] => parseAllDocuments(text).map((each) => each.toJS() as Written);

for (const name of kindNames) {
  describe(`the page of ${name}`, () => {
    const page = readFileSync(path.join(root, `docs/kinds/${fileNameOf(name)}.md`), 'utf8');

    for (const size of ['minimal', 'full'] as const) {
      it(`shows a ${size} example that loads without a word`, async () => {
        assert.ok(page.includes(`\`\`\`yaml\n${exampleOf(name, size)}\`\`\``));
        const file = path.join(exampleFolder, `${fileNameOf(name)}.${size}.yaml`);
        const { problems, definitions } = await loadDefinitions([file]);
        assert.equal(problems.map(formatProblem).join('\n'), '');
        // What it refers to may follow.
        assert.equal(definitions[0]?.kind, name);
      });
    }

    it('has nothing in the minimal example that could be left out', async () => {
      const [document] = documents(exampleOf(name, 'minimal'));
      assert.ok(document !== undefined);
      for (const field of Object.keys(document.spec ?? {})) {
        const { [field]: _left, ...spec } = document.spec ?? {};
        const { problems } = await loadDefinitions(['-'], { stdin: Readable.from([stringify({ ...document, spec })]) });
        assert.ok(hasErrors(problems), `${field} is not needed`);
      }
    });

    it('shows every field in the full example', () => {
      const shown = new Set(
        documents(exampleOf(name, 'full'))
          .filter(({ kind }) => kind === name)
          .flatMap(({ spec }) => writtenPaths(spec)),
      );
      const missing = declaredPaths(schemaOf(kinds[name].schema)).filter((field) => !shown.has(field));
      assert.deepEqual(missing, []);
    });
  });
}

it('no page is of a kind that is gone', () => {
  const pages = readdirSync(path.join(root, 'docs/kinds')).toSorted();
  assert.deepEqual(pages, kindNames.map((name) => `${fileNameOf(name)}.md`).toSorted());
});

function declaredPaths({ properties = {} }: Schema, prefix = ''): string[] {
  return Object.entries(properties).flatMap(([name, field]) => [
    prefix + name,
    ...declaredPaths(field, `${prefix}${name}.`),
  ]);
}

function writtenPaths(value: unknown, prefix = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [prefix + name, ...writtenPaths(inner, `${prefix}${name}.`)]);
}
