import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { root } from '../cli/support/run-command.ts';
import { accessRepository } from './support/access-repository.ts';
import { ci, runShell, writePrograms } from './support/pipeline.ts';

const commit = 'git add --all && git -c user.name=Ada -c user.email=ada@example.com commit --quiet --message change';
const broken = 'apiVersion: rolecall.dev/v1alpha1\nkind: Role\nmetadata: { name: r }\nspec: { peple: [ada] }\n';
const good = broken.replace('peple', 'people');

function repositoryWithHook() {
  const repository = accessRepository();
  cpSync(path.join(ci, 'git-hooks/pre-commit'), path.join(repository.path, '.git/hooks/pre-commit'));
  const PATH = writePrograms(repository.folder);
  return Object.assign(repository, {
    shell: (script: string) => runShell(script, repository.path, { PATH }),
    head: () => repository.git('rev-parse', 'HEAD'),
    write: (file: string, text: string) => {
      writeFileSync(path.join(repository.path, file), text);
    },
  });
}

describe('the Git hook', () => {
  it('keeps definitions with an error from being committed, and says what is wrong', async () => {
    using repository = repositoryWithHook();
    const before = repository.head();
    repository.write('access/role.yaml', broken);
    const { code, output } = await repository.shell(commit);
    assert.equal(code, 1);
    assert.match(output, /access\/role\.yaml:4:9 error: spec\.peple is not a known field\. Did you mean people\?/);
    assert.equal(repository.head(), before);
    repository.write('access/role.yaml', good);
    assert.equal((await repository.shell(commit)).code, 0);
    assert.notEqual(repository.head(), before);
  });

  it('looks at what is staged, not at what lies in the folder', async () => {
    using repository = repositoryWithHook();
    repository.write('access/role.yaml', broken);
    repository.git('add', '--all');
    repository.write('access/role.yaml', good);
    const staged = commit.replace('git add --all && ', '');
    assert.equal((await repository.shell(staged)).code, 1);
    repository.git('add', '--all');
    repository.write('access/role.yaml', broken);
    assert.equal((await repository.shell(staged)).code, 0);
  });

  it('checks nothing when no definition is committed', async () => {
    using repository = repositoryWithHook();
    writePrograms(repository.folder, { rolecall: '#!/bin/sh\nexit 9\n' });
    repository.write('README.md', 'more\n');
    assert.equal((await repository.shell(commit)).code, 0);
    repository.write('access/role.yaml', good);
    assert.notEqual((await repository.shell(commit)).code, 0);
  });
});

describe('the hook for pre-commit', () => {
  it('runs rolecall on the whole folder, as its entry and arguments say', async () => {
    using repository = repositoryWithHook();
    const [hook] = parse(readFileSync(path.join(root, '.pre-commit-hooks.yaml'), 'utf8')) as [
      { entry: string; args: string[]; language: string; pass_filenames: boolean; files: string },
    ];
    assert.deepEqual([hook.language, hook.pass_filenames], ['system', false]);
    assert.match('access/people/ada.yaml', new RegExp(hook.files));
    const command = [hook.entry, ...hook.args].join(' ');
    assert.equal((await repository.shell(command)).code, 0);
    repository.write('access/role.yaml', broken);
    assert.equal((await repository.shell(command)).code, 1);
  });
});
