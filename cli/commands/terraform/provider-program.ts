import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { nodeFlags, version } from '@rolecall/provider';
import { CliError } from '../../errors.ts';
import { packageFolder, runsFromSources } from '../../files/package-folder.ts';

/** The provider as a program: an executable that needs nothing, or a script that needs Node, and what it reads beside it. */
export interface Program {
  readonly kind: 'executable' | 'script';
  readonly file: string;
}

/** Terraform starts the file of this name, and takes the version from the folder that it is in. */
const executable = `terraform-provider-rolecall_v${version}`;
const script = 'provider.cjs';
const libraries = 'lib';
/** In the repository what `npm run build:provider` made, in the package what came with it. */
const built = path.join(packageFolder, runsFromSources ? '..' : '.', 'dist', 'terraform');

/**
 * @param from an executable or a script (.cjs) to use instead of the default
 * @throws CliError when there is none, or none for this machine
 */
export function findProgram(from: string | undefined): Program {
  const file = from ?? path.join(built, executable);
  if (existsSync(file)) return { kind: from?.endsWith('.cjs') === true ? 'script' : 'executable', file };
  if (from !== undefined) throw new CliError('ERR_NO_PROVIDER', `${from} is not there: correct --from`);
  const packaged = path.join(built, script);
  if (!existsSync(packaged)) {
    throw new CliError('ERR_NO_PROVIDER', `${file} is not there: run npm run build:provider first, or give --from`);
  }
  if (process.platform === 'win32') {
    throw new CliError(
      'ERR_NO_PROVIDER',
      'on Windows Terraform starts executables only: make one in the repository by npm run build:provider, and give it by --from',
    );
  }
  return { kind: 'script', file: packaged };
}

/**
 * Puts a program into a folder where Terraform looks.
 *
 * @param twin a folder that has it already; an executable is large, and is there once on the disk
 * @returns the files that it wrote
 */
export function putProgram({ kind, file }: Program, folder: string, twin: string | undefined): string[] {
  const from = path.dirname(file);
  const files = [...scriptFiles(folder), ...libraryFiles(folder)];
  // What the program reads is there before it.
  const beside = kind === 'script' ? scriptFiles(from).filter((name) => name !== script) : libraryFiles(from);
  mkdirSync(path.dirname(path.join(folder, beside[0] ?? executable)), { recursive: true });
  const put = (name: string, source: string): void => {
    replace(path.join(folder, name), (unfinished) => {
      const isThere = kind === 'executable' && twin !== undefined && isLinked(path.join(twin, name), unfinished);
      if (!isThere) copyFileSync(source, unfinished);
    });
  };
  for (const name of beside) put(name, path.join(from, name));
  if (kind === 'executable') put(executable, file);
  else {
    put(script, file);
    replace(path.join(folder, executable), (unfinished) => {
      writeFileSync(unfinished, launcher);
    });
  }
  const names = [executable, ...(kind === 'script' ? [script] : []), ...beside];
  // Terraform takes the sum of the whole folder: nothing of an older version may stay.
  for (const name of files) if (!names.includes(name)) rmSync(path.join(folder, name), { force: true });
  return names.map((name) => path.join(folder, name));
}

/** The script, and what it reads when it is needed. */
function scriptFiles(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name === script || /^provider-.*[.]cjs$/.test(name));
}

/** On Linux an executable has its shared libraries beside it, and is a script that runs it with them. */
function libraryFiles(folder: string): string[] {
  if (!existsSync(path.join(folder, libraries, 'terraform-provider-rolecall'))) return [];
  return readdirSync(path.join(folder, libraries)).map((name) => path.join(libraries, name));
}

/** Not everywhere: on another file system, or one without links. */
function isLinked(file: string, to: string): boolean {
  try {
    linkSync(file, to);
    return true;
  } catch {
    return false;
  }
}

/** A command that runs from the old file goes on undisturbed: the new one takes its name only once it is whole. */
function replace(file: string, write: (unfinished: string) => void): void {
  const unfinished = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}`);
  rmSync(unfinished, { force: true });
  write(unfinished);
  chmodSync(unfinished, 0o755);
  renameSync(unfinished, file);
}

/**
 * The same on every machine, as Terraform's lock file has a sum of it that a team shares. What is compiled is kept in the
 * user's own cache, as the command line's is.
 */
const launcher = `#!/bin/sh
cache="\${XDG_CACHE_HOME:-\${HOME:+$HOME/.cache}}"
if [ -n "$cache" ]; then export NODE_COMPILE_CACHE="\${NODE_COMPILE_CACHE:-$cache/rolecall}"; fi
exec "\${ROLECALL_NODE:-node}" ${nodeFlags.join(' ')} "\${0%/*}/${script}" "$@"
`;
