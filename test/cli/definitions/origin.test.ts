import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { findCheckout } from '../../../cli/definitions/checkout.ts';
import { findOrigin, fitOrigin, type Origin } from '../../../cli/definitions/origin.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let home: ReturnType<typeof temporaryFolder>;
const at = (...names: string[]): string => path.join(home.path, ...names);

beforeEach(() => {
  home = temporaryFolder();
});
afterEach(() => {
  home[Symbol.dispose]();
});

function write(file: string, text = ''): string {
  mkdirSync(path.dirname(at(file)), { recursive: true });
  writeFileSync(at(file), text);
  return at(file);
}

describe('the checkout of a folder', () => {
  const remoteOf = (url: string): string | undefined => {
    write('repo/.git/HEAD', 'ref: refs/heads/main\n');
    write(
      'repo/.git/config',
      `[core]\r\n\tbare = false\r\n[remote "up"]\n\turl = elsewhere\n[remote "origin"]\r\n\tfetch = x\r\n\turl = ${url}\r\n[branch "main"]\n\turl = no\n`,
    );
    return findCheckout(`${at('repo/deep')}/`)?.remote;
  };

  it('has the repository without a scheme, a user and a password, however it was cloned', () => {
    for (const url of [
      'https://git.example.com/acme/access.git',
      'https://bot:s3cret@git.example.com/acme/access',
      'https://bot:p@ss@git.example.com/acme/access/',
      'ssh://git@git.example.com/acme/access.git',
      'git@git.example.com:acme/access.git',
    ]) {
      assert.equal(remoteOf(url), 'git.example.com/acme/access', url);
    }
    assert.equal(remoteOf('ssh://git@git.example.com:2222/acme/access'), 'git.example.com:2222/acme/access');
    assert.equal(remoteOf('/srv/git/access.git'), '/srv/git/access');
  });

  it('has a branch, also in a worktree, and none where a commit is checked out', () => {
    write('repo/.git/HEAD', 'ref: refs/heads/feature/x\n');
    assert.equal(findCheckout(at('repo/all.yaml'))?.branch, 'feature/x');
    write('repo/.git/config', '[remote "origin"]\n\turl = git@git.example.com:acme/access\n');
    write('repo/.git/worktrees/tree/HEAD', 'ref: refs/heads/other\n');
    write('repo/.git/worktrees/tree/commondir', '../..\n');
    write('tree/.git', `gitdir: ${at('repo/.git/worktrees/tree')}\n`);
    const tree = findCheckout(`${at('tree')}/`);
    assert.deepEqual([tree?.branch, tree?.remote], ['other', 'git.example.com/acme/access']);
    write('repo/.git/HEAD', '1f760d4cd2326e1f6f0a\n');
    assert.equal(findCheckout(at('repo/all.yaml'))?.branch, undefined);
  });
});

describe('the origin of definitions', () => {
  it('is the same from wherever it is named, and knows the branch from the pipeline', () => {
    write('repo/.git/HEAD', '1f760d4cd2326e1f6f0a\n');
    write('repo/access/a.yaml');
    const own = { repository: at('repo'), branch: 'main' };
    const variables = { CI_COMMIT_REF_NAME: 'main' };
    assert.deepEqual(findOrigin([at('repo/access')], variables), { ...own, paths: ['access/'] });
    assert.deepEqual(findOrigin([at('repo/access/../access/'), at('repo/access/a.yaml')], variables), {
      ...own,
      paths: ['access/'],
    });
    assert.deepEqual(findOrigin([at('repo')], { GITHUB_REF_NAME: 'main' }), { ...own, paths: ['./'] });
    assert.equal(findOrigin([at('repo')], { ROLECALL_BRANCH: 'live', CI_COMMIT_REF_NAME: 'main' }).branch, 'live');
    assert.equal(findOrigin([at('repo')], {}).branch, null);
    write('else/b.yaml');
    const both = findOrigin([at('repo/access'), at('else')], variables);
    assert.deepEqual(both, {
      repository: null,
      branch: null,
      paths: [`${at('else')}/`, `${at('repo/access')}/`],
    });
  });

  const origin = (paths: readonly string[], more: Partial<Origin> = {}): Origin => ({
    ...{ repository: 'git.example.com/acme/access', branch: 'main', paths },
    ...more,
  });
  const remembered = (paths: readonly string[], more: Partial<Origin> = {}): string => {
    const { repository, branch } = origin(paths, more);
    return JSON.stringify({ repository, branch, paths });
  };

  it('fits as a whole, as a part, or not at all', () => {
    for (const [own, former, expected] of [
      [['access/'], ['access/'], 'whole'],
      [['./'], ['access/', 'b.yaml'], 'whole'],
      [['access/'], ['access/people/', 'access/a.yaml'], 'whole'],
      [['access/people/'], ['access/'], 'part'],
      [['access/people.yaml'], ['access/'], 'part'],
      [['a.yaml'], ['a.yaml', 'b.yaml'], 'part'],
      [['a.yaml', 'c.yaml'], ['a.yaml', 'b.yaml'], 'part'],
      [['b/'], ['a/'], 'elsewhere'],
      [['accessory/'], ['access/'], 'elsewhere'],
      [['b/a.yaml'], ['a/'], 'elsewhere'],
    ] as const) {
      write('b.yaml');
      assert.equal(
        fitOrigin(origin(own), 'main', remembered(former)).is,
        expected,
        `${own.join()} after ${former.join()}`,
      );
    }
    assert.equal(fitOrigin(origin(['a/']), 'main', undefined).is, 'whole');
    assert.equal(fitOrigin(origin(['a/']), 'main', 'no JSON').is, 'elsewhere');
  });

  it('has to be of the same repository and branch, as far as these are known', () => {
    const fit = (own: Partial<Origin>, former: Partial<Origin>) =>
      fitOrigin(origin(['a/'], own), 'main', remembered(['a/'], former)).is;
    assert.equal(fit({ branch: 'try' }, {}), 'elsewhere');
    assert.equal(fit({ repository: 'git.example.com/acme/other' }, {}), 'elsewhere');
    assert.equal(fit({ repository: null }, {}), 'elsewhere');
    assert.equal(fit({}, { branch: null }), 'whole');
  });

  it('is a part where a named file is gone, or the branch is not known, or it is standard input: nothing goes by it', () => {
    const fit = (own: readonly string[], former: readonly string[], more: Partial<Origin> = {}) =>
      fitOrigin(origin(own, more), 'main', remembered(former));
    assert.equal(fit(['x/a.yaml'], ['x/a.yaml', 'x/gone.yaml']).is, 'part');
    assert.equal(fit(['a/'], ['a/'], { branch: null }).is, 'part');
    const piped = fit(['x/-'], ['x/-']);
    assert.ok(piped.is === 'part' && piped.refusal.override === 'other-origin:main');
    assert.deepEqual(JSON.parse(piped.whole), JSON.parse(remembered(['x/-'])));
  });

  it('keeps the folders of very many files, which no run of files has all of', () => {
    const files = Array.from({ length: 500 }, (_, number) => `access/people/file-${number}.yaml`);
    const first = fitOrigin(origin(files), 'main', undefined);
    assert.ok(first.is === 'whole' && first.origin !== undefined && first.origin.length <= 4000);
    assert.deepEqual((JSON.parse(first.origin) as Origin).paths, ['access/people/']);
    assert.equal(fitOrigin(origin(files), 'main', first.origin).is, 'part');
    assert.equal(fitOrigin(origin(['access/people/']), 'main', first.origin).is, 'whole');
  });
});
