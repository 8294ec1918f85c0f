import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildEditions } from '../../../../tools/cdktf/build.ts';
import { type Edition, editions, renameImports } from '../../../../tools/cdktf/editions.ts';
import { root } from '../../../cli/support/run-command.ts';
import { temporaryFolder } from '../../../cli/support/temporary-folder.ts';

const run = promisify(execFile);

/** Where a package of the repository's own installation is. */
export const installed = (name: string): string => path.join(root, 'node_modules', name);

export interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

/** Runs a program as a person would who knows nothing of the repository, with no way to the network. */
export async function start(cwd: string, program: string, args: readonly string[]): Promise<string> {
  const env = {
    PATH: process.env['PATH'],
    HOME: cwd,
    CHECKPOINT_DISABLE: '1',
    npm_config_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
  return (await run(program, args, { cwd, env })).stdout;
}

export interface Packages extends Disposable {
  /** Makes the example a project of its own, which has the packed package installed; what is of the registry is linked. */
  readonly install: (edition: Edition, project: string) => Promise<void>;
}

/** Builds the packages, in a temporary folder. */
export async function buildPackages(): Promise<Packages> {
  const folder = temporaryFolder();
  await buildEditions(folder.path);
  for (const { library } of editions) {
    for (const name of ['package.json', 'README.md']) {
      cpSync(path.join(root, 'provider', library, name), path.join(folder.path, library, name));
    }
  }
  return {
    install: async (edition, project) => {
      await install(edition, path.join(folder.path, edition.library), project);
    },
    [Symbol.dispose]: () => {
      folder[Symbol.dispose]();
    },
  };
}

async function install(edition: Edition, source: string, project: string): Promise<void> {
  cpSync(path.join(root, 'examples/cdktf'), project, { recursive: true });
  const { library, name } = edition;
  const main = path.join(project, 'main.ts');
  writeFileSync(main, renameImports(readFileSync(main, 'utf8'), edition).replace('@rolecall/cdktf', name));
  const file = path.join(project, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  const { version } = JSON.parse(readFileSync(installed('constructs/package.json'), 'utf8')) as { version: string };
  assert.equal(manifest.dependencies['constructs'], version);
  manifest.dependencies = {
    [name]: `file:${await pack(source)}`,
    [library]: `file:${installed(library)}`,
    constructs: `file:${installed('constructs')}`,
  };
  manifest.devDependencies = { typescript: `file:${installed('typescript')}` };
  writeFileSync(file, JSON.stringify(manifest));
  await start(project, 'npm', ['install', '--ignore-scripts']);
}

/** Packs a package as npm publishes it, and gives the archive. */
async function pack(source: string): Promise<string> {
  await start(source, 'npm', ['pack']);
  const archive = readdirSync(source).find((name) => name.endsWith('.tgz'));
  assert.ok(archive !== undefined);
  return path.join(source, archive);
}
