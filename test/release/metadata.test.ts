import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { version } from '@rolecall/provider';
import { parse } from 'yaml';
import { generatedFiles } from '../../tools/package-files.ts';
import { packageFolders, readManifest } from '../../tools/packages.ts';
import { root } from '../cli/support/run-command.ts';

const repository = readManifest('.');

describe('the packages', () => {
  it('are all that the repository has, but those that are private', () => {
    const workspaces = (repository['workspaces'] as string[]).filter(
      (folder) => readManifest(folder)['private'] !== true,
    );
    assert.deepEqual([...packageFolders].toSorted(), workspaces.toSorted());
  });

  it('have the version, the licence and the addresses of the repository', () => {
    for (const [name, text] of generatedFiles()) {
      assert.equal(readFileSync(path.join(root, name), 'utf8'), text, `${name}: run npm run generate`);
    }
  });

  it('are of one version with the provider and the charts', () => {
    assert.equal(version, repository.version, 'provider/version.ts');
    for (const name of globSync('operator/deploy/**/Chart.yaml', { cwd: root })) {
      const chart = parse(readFileSync(path.join(root, name), 'utf8')) as { version: string; appVersion: string };
      assert.deepEqual([chart.version, chart.appVersion], [repository.version, repository.version], name);
    }
  });

  for (const folder of packageFolders) {
    const manifest = readManifest(folder);

    it(`${manifest.name} says what it is, what it runs on and what it packs`, () => {
      assert.equal(typeof manifest['description'], 'string');
      assert.deepEqual(manifest['files'], ['dist']);
      assert.deepEqual(manifest['engines'], { node: '>=24' });
      assert.equal(manifest['sideEffects'], false);
      assert.equal(manifest['private'], undefined);
      assert.ok(existsSync(path.join(root, folder, 'README.md')));
    });

    it(`${manifest.name} runs nothing when it is installed, and pins what it depends on`, () => {
      const scripts = Object.keys(manifest['scripts'] ?? {});
      assert.deepEqual(
        scripts.filter((name) => /^(pre|post)?(install|prepare|pack|publish)/.test(name)),
        [],
      );
      for (const [name, range] of Object.entries(manifest.dependencies ?? {})) {
        assert.match(range, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
      }
    });
  }
});
