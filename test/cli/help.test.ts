import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { startService } from '@rolecall/server';
import { environmentVariables } from '../../cli/environment-variables.ts';
import { commandsOf, faultOf } from '../docs/commands.ts';
import { root, runCommand } from './support/run-command.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

/** Every command there is, as one types it, with its help. */
async function readHelps(name: readonly string[] = []): Promise<Map<string, string>> {
  const { stdout, code } = await runCommand([...name, '--help']);
  assert.equal(code, 0, name.join(' '));
  const listed = isGroup(stdout) ? (stdout.split(/\n(?:Commands|Define access):\n/)[1] ?? '') : '';
  const children = [...listed.matchAll(/^ {2}([a-z-]+)/gm)]
    .map(([, child = '']) => child)
    .filter((child) => child !== 'help');
  const helps = await Promise.all(children.map((child) => readHelps([...name, child])));
  return new Map([[name.join(' '), stdout], ...helps.flatMap((each) => [...each])]);
}

function isGroup(help: string): boolean {
  return /\n(?:Commands|Define access):\n/.test(help);
}

describe('the help', async () => {
  const helps = await readHelps();

  it('has the variables and exit codes that the documentation has', () => {
    const page = readFileSync(path.join(root, 'docs/command-line.md'), 'utf8');
    const [, ofHelp = '', codes = ''] =
      /\nEnvironment:\n([\s\S]+)\nExit codes:\n([\s\S]+)$/.exec(helps.get('') ?? '') ?? [];
    const [, ofPage = ''] = /## Environment\n([\s\S]+?)## Exit codes\n([\s\S]+?)\n## /.exec(page) ?? [];
    const variables = (text: string) => [...new Set(text.match(/\b[A-Z]+_[A-Z_<>]+/g))].toSorted();
    const rows = ofPage
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .join('\n');
    assert.deepEqual(variables(ofHelp), variables(rows.replace(/\([^)]*\)/g, '')));
    const ofTable = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => code);
    assert.deepEqual(
      [...codes.matchAll(/^ {2}(\d+)/gm)].map(([, code]) => code),
      ofTable,
    );
  });

  it('has every variable that the service reads', async () => {
    using folder = temporaryFolder();
    const read = new Set<string>();
    const environment = new Proxy<Record<string, string>>(
      {},
      {
        get: (_target, name) => {
          if (typeof name === 'string') read.add(name);
          return undefined;
        },
      },
    );
    const service = await startService({ dataDir: folder.path, environment, port: 0 });
    await service.close();
    assert.ok(read.has('ROLECALL_STORE_KEY'));
    assert.deepEqual(
      [...read].filter((name) => !Object.hasOwn(environmentVariables, name)),
      [],
    );
  });

  it('groups the commands, each in one group', () => {
    const headings: string[] = helps.get('')?.match(/^[A-Z][^\n]*:$/gm) ?? [];
    assert.deepEqual(headings.slice(0, 3), ['Options:', 'Define access:', 'Change the workspace:']);
    assert.ok(!headings.includes('Commands:'), 'a command that was added stands in no group');
  });

  it('knows every command', () => {
    assert.ok(helps.size >= 24, [...helps.keys()].join(', '));
  });

  for (const [name, help] of helps) {
    it(`of "rolecall ${name}" says what it does, and what each option and argument is`, () => {
      const [, description = ''] = help.split('\n\n');
      assert.match(description, /^\w.{15,}/);
      const sections = [...help.matchAll(/^(?:Options|Arguments):\n((?: {2}.*\n)+)/gm)].map(([, lines = '']) => lines);
      const entries = sections.join('').split(/\n(?= {2}\S)/);
      assert.ok(entries.length > 0);
      for (const entry of entries) assert.match(entry.trim(), /^\S.*?(?: {2,}|\n\s+)\S/, `unexplained: ${entry}`);
    });

    if (!isGroup(help)) {
      it(`of "rolecall ${name}" has examples of it, with options that it has`, async () => {
        const [, examples = ''] = /\nExamples?:\n([\s\S]+)$/.exec(help) ?? [];
        const commands = commandsOf({ language: 'sh', text: examples, line: 1 }).filter(
          ([program]) => program === 'rolecall',
        );
        assert.ok(
          commands.some((words) => words.slice(1, 1 + name.split(' ').length).join(' ') === name),
          `no example of it:\n${examples}`,
        );
        for (const words of commands) assert.equal(await faultOf(words), undefined, words.join(' '));
      });
    }
  }
});
