import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { requires } from '../../../support/databases/parts.ts';
import { runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** What each shell is asked to complete, and what it must come to. */
const unambiguous: readonly (readonly [line: string, completed: string])[] = [
  ['pla', 'plan'],
  ['plan --deta', '--detailed-exitcode'],
  ['plan --format m', 'markdown'],
  ['report acce', 'access'],
  ['report access --out acc', 'access.yaml'],
  ['plan --format json acc', 'access.yaml'],
  ['keys create --scope wr', 'write'],
];

describe('rolecall completion', () => {
  const folder = temporaryFolder();
  before(async () => {
    writeFileSync(path.join(folder.path, 'access.yaml'), '');
    mkdirSync(path.join(folder.path, 'two words'));
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, stdout, stderr } = await runCommand(['completion', shell]);
      assert.deepEqual([code, stderr], [0, '']);
      writeFileSync(path.join(folder.path, `rolecall.${shell}`), stdout);
    }
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  function run(program: string, ...args: string[]): string {
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: folder.path,
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.deepEqual([status, stderr], [0, ''], stdout);
    return stdout;
  }

  const askBash = (line: string): string[] => {
    const script = `source ./rolecall.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rolecall; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return run('bash', '--norc', '-c', script, 'bash', 'rolecall', ...line.split(' '))
      .trim()
      .split('\n');
  };
  const askFish = (line: string): string[] =>
    run('fish', '--no-config', '-c', `source ./rolecall.fish; complete -C 'rolecall ${line}'`)
      .trim()
      .split('\n')
      .map((found) => found.split('\t')[0] ?? '');

  describe('in bash', () => {
    for (const [line, completed] of unambiguous) {
      it(`completes ${line}`, () => {
        assert.deepEqual(askBash(line), [completed]);
      });
    }

    it('completes the value after an equals sign, which is a word of its own', () => {
      assert.deepEqual(askBash('plan --format = j'), ['json']);
    });

    it('offers files with blanks in their names as one, and none where text is wanted', () => {
      assert.deepEqual(askBash('plan two'), ['two words']);
      assert.deepEqual(askBash('plan --url acc'), ['']);
    });
  });

  describe('in fish', requires('fish'), () => {
    for (const [line, completed] of unambiguous) {
      it(`completes ${line}`, () => {
        assert.deepEqual(askFish(line), [completed]);
      });
    }

    it('offers no files where text is wanted', () => {
      assert.deepEqual(askFish('plan --url acc'), ['']);
    });
  });

  describe('in zsh', requires('zsh'), () => {
    const script = path.join(import.meta.dirname, '../../support/complete.zsh');
    for (const [line, completed] of unambiguous) {
      it(`completes ${line}`, () => {
        const shown = run('zsh', '-f', script, './rolecall.zsh', `rolecall ${line}`);
        assert.equal(shown.trim().split(' ').at(-1), completed);
      });
    }
  });

  it('refuses another shell, naming those that there are', async () => {
    const { code, stderr } = await runCommand(['completion', 'tcsh']);
    assert.equal(code, 1);
    assert.match(stderr, /bash, zsh, fish/);
  });
});
