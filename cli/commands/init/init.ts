import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { buildJsonSchema } from '@rolecall/crds';
import { printableJson } from '@rolecall/reconcile';
import type { CommonOptions, Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { examplesFolder } from '../../files/examples-folder.ts';
import { writeFiles } from '../../files/write-files.ts';
import { counted, shellWord } from '../../output/words.ts';

export interface StartOptions extends CommonOptions {
  ci: 'github' | 'gitlab' | 'none';
}

/**
 * Writes a repository to start from: definitions, pipelines and editor settings. All files or none;
 * files that exist with the same text are left alone.
 *
 * @throws CliError that names the files that exist with another text
 */
export function startRepository({ output }: Context, folder: string, { ci }: StartOptions): ExitCode {
  const target = path.resolve(folder);
  const files = starterFiles(ci, setName(target));
  const there = [...files].filter(([name]) => existsSync(path.join(target, name)));
  const different = there.filter(([name, text]) => readFileSync(path.join(target, name), 'utf8') !== text);
  if (different.length > 0) {
    const names = different.map(([name]) => name);
    throw new CliError(
      'ERR_FILES_EXIST',
      `${folder} already contains ${names.join(', ')}, so nothing was written: move them away, or name another folder`,
      { files: names },
    );
  }
  const same = new Set(there.map(([name]) => name));
  const missing = new Map([...files].filter(([name]) => !same.has(name)));
  if (missing.size > 0) writeFiles(folder, missing, true);
  output.document({ folder, written: [...missing.keys()], unchanged: [...same] });
  for (const name of missing.keys()) output.say(`  ${name}`);
  // A full stop behind "." would make the folder above of it.
  const where = folder.endsWith('.') ? target : folder;
  const done =
    missing.size === 0 ? 'All files exist already.' : `${counted(missing.size, 'file')} written to ${where}.`;
  output.say(`${done}\n\n${nextSteps(folder, ci)}`);
  return exitCodes.ok;
}

/** @returns texts by path */
function starterFiles(ci: StartOptions['ci'], set: string): Map<string, string> {
  const schema = `${printableJson(buildJsonSchema())}\n`;
  const settings = {
    'yaml.schemas': { './rolecall.schema.json': 'access/**/*.{yaml,yml}' },
    'json.schemas': [{ url: './rolecall.schema.json', fileMatch: ['access/**/*.json'] }],
  };
  return new Map([
    ...readFolder(examplesFolder('starter'), '').map(([name, text]): [string, string] => [
      name,
      text.replace('set: starter', `set: ${set}`),
    ]),
    ['rolecall.schema.json', schema],
    ['.vscode/settings.json', `${printableJson(settings)}\n`],
    ['.vscode/extensions.json', `${printableJson({ recommendations: ['redhat.vscode-yaml'] })}\n`],
    ['.gitignore', '# Plans and reports are made anew each time.\n*.plan\nplan.json\nplan/\n*.html\n*.csv\n'],
    ...pipelines(ci),
  ]);
}

/** The name of a folder, as that of the set of definitions in it. */
function setName(folder: string): string {
  const name = path
    .basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
  return name === '' ? 'access' : name;
}

function pipelines(ci: StartOptions['ci']): [string, string][] {
  const folder = examplesFolder('ci');
  if (ci === 'github') return readFolder(path.join(folder, 'github'), '.github/workflows/');
  if (ci === 'none') return [];
  return [['.gitlab-ci.yml', readFileSync(path.join(folder, 'gitlab/rolecall.gitlab-ci.yml'), 'utf8')]];
}

function readFolder(folder: string, prefix: string): [string, string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry): [string, string] => {
      const file = path.join(entry.parentPath, entry.name);
      const name = path.relative(folder, file).split(path.sep).join('/');
      return [prefix + name, readFileSync(file, 'utf8')];
    })
    .sort(([name], [other]) => (name < other ? -1 : 1));
}

function nextSteps(folder: string, ci: StartOptions['ci']): string {
  const where = path.relative('.', folder) === '' ? '' : `cd ${shellWord(folder)} && `;
  const keys = [
    'Pipelines take ROLECALL_URL from the variables of the repository, and ROLECALL_KEY_ID and ROLECALL_KEY_SECRET from the',
    'environments rolecall-plan (a key of scope read) and rolecall-apply (one of scope write).',
  ];
  return [
    'Next:',
    `  ${where}rolecall validate access/`,
    '  put your people and databases in, set ROLECALL_URL, ROLECALL_KEY_ID and ROLECALL_KEY_SECRET, and',
    '  rolecall doctor access/ && rolecall plan access/',
    ...(ci === 'none' ? [] : ['', ...keys]),
  ].join('\n');
}
