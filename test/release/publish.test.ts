import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { sectionOf } from '../../tools/release/notes.ts';
import { failUnlessReady } from '../../tools/release/publish.ts';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';
import { requires } from '../support/databases/parts.ts';

const released = '# Changelog\n\n## Unreleased\n\n- next\n\n## 1.2.3 - 2027-01-01\n\n- this\n\n## 1.2.2\n\n- before\n';
const signed = { ROLECALL_RELEASE_GPG_KEY: 'a key' };

describe('publishing', requires('git'), () => {
  it('names all that is missing at once', () => {
    using folder = temporaryFolder();
    git(folder.path, 'init', '--quiet');
    commit(folder.path, '--allow-empty');
    writeFileSync(path.join(folder.path, 'CHANGELOG.md'), '## Unreleased\n\n- next\n');
    assert.throws(() => {
      failUnlessReady(folder.path, '1.2.3', {});
    }, /not committed\n.*the tag v1\.2\.3 is not here\n.*has no section 1\.2\.3\n.*ROLECALL_RELEASE_GPG_KEY has no key/);
  });

  it('takes a clean checkout of the tag, with a section in the changelog', () => {
    using folder = temporaryFolder();
    git(folder.path, 'init', '--quiet');
    writeFileSync(path.join(folder.path, 'CHANGELOG.md'), released);
    git(folder.path, 'add', '.');
    commit(folder.path);
    git(folder.path, 'tag', 'v1.2.3');
    failUnlessReady(folder.path, '1.2.3', signed);
    assert.throws(() => {
      failUnlessReady(folder.path, '1.2.2', signed);
    }, /nothing was published:\n {2}the tag v1\.2\.2 is not here$/);
  });

  it('takes the notes of just the version', () => {
    assert.equal(sectionOf(released, '1.2.3'), '## 1.2.3 - 2027-01-01\n\n- this\n');
    assert.equal(sectionOf(released, '1.2'), undefined);
  });
});

function git(folder: string, ...args: string[]): void {
  execFileSync('git', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

function commit(folder: string, ...options: string[]): void {
  git(folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'a', ...options);
}
