import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Kitchen, openKitchen } from '../docs/recipes.ts';
import { runCommand } from './support/run-command.ts';

/** What a command's examples need to be there, in the folder in which they are typed; and how else they end than with 0. */
interface Setting {
  readonly prepare?: string;
  /** In a folder of its own, because it wants an empty one. */
  readonly elsewhere?: true;
  /** Exit codes other than 0, by the line. */
  readonly ends?: Readonly<Record<string, number>>;
  /** Words of the examples that stand for what everybody has of their own. */
  readonly stands?: Readonly<Record<string, string>>;
}

const newPlan = 'rm -f plan.json; rolecall plan access/ --out plan.json >/dev/null';
const newKey = `id=$(rolecall keys create --data ./rolecall-data --scope read --format json | grep -o '"id": "[^"]*' | cut -d'"' -f4)`;

/** In the order of a beginner. */
const settings: Readonly<Record<string, Setting>> = {
  doctor: {},
  validate: { prepare: 'kubectl() { cat access/team.yaml; }' },
  anchor: { prepare: 'cp access/incident.yaml incident.yaml' },
  plan: { prepare: 'rm -f plan.json' },
  show: { prepare: newPlan },
  // No one is there to be asked.
  apply: { prepare: newPlan, ends: { 'rolecall apply access/': 1 } },
  export: { elsewhere: true },
  'report access': {},
  'report expiring': { prepare: 'notify() { echo told; }' },
  schema: {},
  'keys create': { stands: { '--data-source billing': '--data-source shop' } },
  'keys list': {},
  'keys revoke': { prepare: newKey, stands: { k3Jf9sWqL0aZ: '$id' } },
  'keys rotate': { prepare: newKey, stands: { k3Jf9sWqL0aZ: '$id' } },
  seed: {
    prepare: String.raw`printf -- '- person: ada\n  dataSource: shop\n  tabs: [{ title: One, text: select 1 }]\n' >editors.yaml`,
  },
  'audit list': { stands: { 'https://workspace.example.com': '"$ROLECALL_URL"' } },
  'audit verify': { prepare: 'rolecall audit checkpoint --data ./rolecall-data >kept-apart/checkpoint' },
  backup: { prepare: 'rm -f *.backup' },
  restore: {
    prepare: 'test -f *.backup || rolecall backup --data ./rolecall-data --out rolecall-2026-11-21.backup >/dev/null',
    stands: { '--data ./rolecall-data': '--data ./empty' },
  },
  init: { elsewhere: true },
  completion: {
    prepare: 'mkdir -p ~/.local/share/bash-completion/completions ~/.config/fish/completions ~/zsh; fpath=(~ ~/zsh)',
  },
  'terraform schema': {},
};

/** Those that run until they are stopped, are long, or need a build: README.md's ways in, and tests of their own, run them. */
const elsewhereTested = [
  'login',
  'logout',
  'access',
  'query',
  'connect',
  'gateway',
  'people invite',
  'sessions list',
  'sessions end',
  'serve',
  'keys exchange',
  'operator',
  'demo',
  'terraform install',
  'version',
  'store rekey',
];

const api = 'apiVersion: rolecall.dev/v1alpha1';
const files = {
  'team.yaml': `${api}
kind: Person
metadata: { name: ada }
spec: { name: Ada Lovelace, email: ada@example.com }
---
${api}
kind: DataSource
metadata: { name: shop }
spec: { uri: 'sqlite:///srv/shop.db' }
`,
  'incident.yaml': `${api}
kind: Permission
metadata: { name: incident }
spec: { person: ada, dataSource: shop, duration: 8h }
`,
};

describe('the examples in the help', () => {
  let kitchen: Kitchen;
  before(async () => {
    kitchen = await openKitchen(files);
    mkdirSync(path.join(kitchen.folder, 'kept-apart'));
    copyFileSync(path.join(kitchen.workspace.dataDir, 'store.key'), path.join(kitchen.folder, 'kept-apart/store.key'));
  });
  after(() => kitchen[Symbol.asyncDispose]());

  for (const [name, { prepare = '', elsewhere, ends = {}, stands = {} }] of Object.entries(settings)) {
    it(`of "rolecall ${name}" run`, async () => {
      const { stdout: help } = await runCommand([...name.split(' '), '--help']);
      const [, examples = ''] = /\nExamples?:\n([\s\S]+)$/.exec(help) ?? [];
      const lines = examples.trim().split(/\n\s*/);
      assert.ok(
        lines.some((line) => line.includes(`rolecall ${name}`)),
        help,
      );
      const folder = elsewhere === true ? `mkdir -p alone/${name} && cd alone/${name}\n` : '';
      for (const line of lines) {
        const typed = Object.entries(stands).reduce((text, [word, own]) => text.replaceAll(word, own), line);
        const { code, stdout, stderr } = await kitchen.run(`${folder}${prepare}\n${typed}\n`);
        assert.equal(code, ends[line] ?? 0, `${line}\n${stdout}${stderr}`);
      }
    });
  }

  it('are all run, here or in another test', async () => {
    const tested = [...Object.keys(settings), ...elsewhereTested];
    const help = (await runCommand(['--help'])).stdout.split('\nDefine access:\n')[1] ?? '';
    const commands = [...help.matchAll(/^ {2}([a-z]+)/gm)]
      .map(([, command = '']) => command)
      .filter((one) => one !== 'help');
    const untested = commands.filter((command) => !tested.some((name) => name.split(' ')[0] === command));
    assert.deepEqual(untested, []);
  });
});
