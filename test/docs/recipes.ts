import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';
import { startWorkspace, type TestWorkspace } from '../cli/support/workspace.ts';
import { commandLineInShell } from '../support/command-line.ts';
import { fencesOf, root } from './markdown.ts';

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A repository with the folder access/ that the page speaks of, and the real service. */
export interface Kitchen extends AsyncDisposable {
  readonly workspace: TestWorkspace;
  /** Where access/ is. */
  readonly folder: string;
  /** Writes a file of definitions; without a text, the nth YAML of the recipe. */
  write: (name: string, text: string) => void;
  read: (name: string) => string;
  /** Runs commands of the page in the repository, as they stand. */
  run: (commands: string) => Promise<Ended>;
  /** Applies everything, and expects that to succeed. @returns what it printed */
  apply: () => Promise<string>;
}

const page = readFileSync(path.join(root, 'docs/recipes.md'), 'utf8');

/**
 * The year after this one, in which the page's windows then lie: what is over cannot be granted, and no test may fail
 * because time went by.
 */
const nextYear = String(new Date().getUTCFullYear() + 1);

/** What stands in the fences under a heading of the page. */
export function recipe(heading: string, language: 'yaml' | 'sh'): string[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  assert.ok(section !== undefined, `docs/recipes.md has no recipe "${heading}"`);
  return fencesOf({ name: heading, text: section })
    .filter((fence) => fence.language === language)
    .map(({ text }) => text.replaceAll('2027-', `${nextYear}-`));
}

/** @param files what is in access/ to begin with, by name */
export async function openKitchen(files: Readonly<Record<string, string>>): Promise<Kitchen> {
  const folder = temporaryFolder();
  const workspace = await startWorkspace();
  const at = (name: string): string => path.join(folder.path, name);
  const write = (name: string, text: string): void => {
    writeFileSync(at(`access/${name}`), text);
  };
  mkdirSync(at('access'));
  for (const [name, text] of Object.entries(files)) write(name, text);
  // Where the page has the data of the service.
  symlinkSync(workspace.dataDir, at('rolecall-data'));
  const shell = `rolecall() { ${commandLineInShell} "$@"; }\n`;
  const run = (commands: string): Promise<Ended> =>
    new Promise((resolve) => {
      const env = { PATH: process.env['PATH'], HOME: folder.path, ...workspace.env, TERM: 'dumb' };
      const options = { cwd: folder.path, env, timeout: 120_000 };
      execFile('bash', ['--norc', '-euo', 'pipefail', '-c', shell + commands], options, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
      });
    });
  return {
    workspace,
    folder: folder.path,
    write,
    read: (name) => readFileSync(at(name), 'utf8'),
    run,
    apply: async () => {
      const { code, stdout, stderr } = await run('rolecall apply access/ --yes');
      assert.equal(code, 0, stdout + stderr);
      return stdout;
    },
    [Symbol.asyncDispose]: async () => {
      await workspace[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}
