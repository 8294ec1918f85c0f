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
  mkdirSync(folder, { recursive: true });
  const program = path.join(folder, executable);
  const before = scriptFiles(folder);
  if (kind === 'executable') {
    replace(program, (unfinished) => {
      if (twin === undefined || !isLinked(path.join(twin, executable), unfinished)) copyFileSync(file, unfinished);
    });
    removeFrom(folder, before);
    return [program];
  }
  const names = scriptFiles(path.dirname(file)).filter((name) => name !== script);
  // What the script reads is there before it.
  for (const name of [...names, script]) {
    replace(path.join(folder, name), (unfinished) => {
      copyFileSync(name === script ? file : path.join(path.dirname(file), name), unfinished);
    });
  }
  replace(program, (unfinished) => {
    writeFileSync(unfinished, launcher);
  });
  // Terraform takes the sum of the whole folder: nothing of an older version may stay.
  removeFrom(
    folder,
    before.filter((name) => name !== script && !names.includes(name)),
  );
  return [executable, script, ...names].map((name) => path.join(folder, name));
}

/** The script, and what it reads when it is needed. */
function scriptFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => name === script || /^provider-.*[.]cjs$/.test(name));
}

function removeFrom(folder: string, names: readonly string[]): void {
  for (const name of names) rmSync(path.join(folder, name), { force: true });
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
