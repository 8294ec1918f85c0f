import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { formatProblem, hasErrors, loadDefinitions } from '@rolecall/crds';
import { generatedFiles } from '../../tools/kinds/definitions.ts';
import { commandsOf, faultOf } from './commands.ts';
import { anchorsOf, fencesOf, linksOf, readPages, root } from './markdown.ts';

const pages = readPages();

describe('the documentation', () => {
  for (const page of pages) {
    it(`${page.name} links to what is there`, () => {
      const broken = linksOf(page).filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(page.name, target));
      assert.deepEqual(broken, []);
    });

    it(`${page.name} names only commands, scripts and options that exist`, async () => {
      for (const fence of fencesOf(page).filter(({ language }) => language === 'sh')) {
        for (const words of commandsOf(fence)) {
          assert.equal(await faultOf(words), undefined, `${page.name}:${fence.line}: ${words.join(' ')}`);
        }
      }
    });

    // Those of the kinds name files that stand beside them; a test of theirs loads them from there.
    if (page.name.startsWith('docs/kinds/')) continue;

    it(`${page.name} shows only definitions that load`, async () => {
      for (const { text, line } of fencesOf(page).filter(({ language }) => language === 'yaml')) {
        const { problems, definitions } = await loadDefinitions(['-'], { stdin: Readable.from([text]) });
        const place = `${page.name}:${line}`;
        assert.ok(!hasErrors(problems), `${place}\n${problems.map(formatProblem).join('\n')}`);
        assert.notEqual(definitions.length, 0, place);
      }
    });
  }

  it('has the fields of every kind as the schemas have them', () => {
    for (const [name, text] of generatedFiles()) {
      assert.equal(readFileSync(path.join(root, name), 'utf8'), text, `${name}: run npm run generate`);
    }
  });

  it('begins with the two commands, each after its mark', () => {
    const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
    assert.match(readme, /^<!-- main job -->\n```sh\nnpm ci && npm run demo\n```$/m);
    assert.match(readme, /^<!-- tests -->\n```sh\nnpm ci && npm test\n```$/m);
  });

  it('has every page in the index', () => {
    const inIndex = new Set(
      ['docs/README.md', 'docs/decisions/README.md'].flatMap((index) => {
        const page = pages.find(({ name }) => name === index);
        return page === undefined ? [] : linksOf(page).map((target) => path.join(path.dirname(index), target));
      }),
    );
    inIndex.add('docs/README.md');
    const missing = pages.map(({ name }) => name).filter((name) => name.startsWith('docs/') && !inIndex.has(name));
    assert.deepEqual(missing, []);
  });
});

function leadsSomewhere(from: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const name = file === '' ? from : path.join(path.dirname(from), file);
  if (!existsSync(path.join(root, name))) return false;
  if (anchor === undefined) return true;
  const page = pages.find((each) => each.name === name);
  return page !== undefined && anchorsOf(page).has(anchor);
}
