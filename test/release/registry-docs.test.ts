import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { readManifest } from '../../tools/packages.ts';
import { writeRegistryDocs } from '../../tools/release/registry-docs.ts';
import { root } from '../cli/support/run-command.ts';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';

function readPages(): { readonly name: string; readonly text: string }[] {
  using folder = temporaryFolder();
  writeRegistryDocs(root, folder.path);
  const names = globSync('docs/**/*.md', { cwd: folder.path });
  return names.map((name) => ({ name, text: readFileSync(path.join(folder.path, name), 'utf8') }));
}

describe('the documentation of the provider in a registry', () => {
  const pages = readPages();

  it('has the reference, and guides with titles', () => {
    const names = pages.map(({ name }) => name);
    for (const name of [
      'index',
      'resources/person',
      'data-sources/people',
      'functions/definitions',
      'guides/terraform',
    ])
      assert.ok(names.includes(`docs/${name}.md`), name);
    for (const { name, text } of pages) assert.match(text, /^---\npage_title: "[^"]+"\n/, name);
  });

  it('has no link that leads nowhere', () => {
    const repository = `${String(readManifest('.')['homepage']).replace(/#.*$/, '')}/blob/main/`;
    let checked = 0;
    for (const { name, text } of pages) {
      for (const [, target = ''] of text.matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)) {
        if (/^https?:/.test(target) && !target.startsWith(repository)) continue;
        checked += 1;
        const isThere = target.startsWith(repository)
          ? existsSync(path.join(root, target.slice(repository.length)))
          : pages.some((page) => page.name === path.posix.join(path.dirname(name), target));
        assert.ok(isThere, `${name}: ${target}`);
      }
    }
    assert.ok(checked > 20, `${checked} links`);
  });
});
