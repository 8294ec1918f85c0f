import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../../cli/support/temporary-folder.ts';
import { team } from '../../cli/support/workspace.ts';

export interface AccessRepository extends Disposable {
  /** The checkout; beside it there is room for what a runner has. */
  readonly path: string;
  readonly folder: string;
  readonly git: (...args: string[]) => string;
  /** Writes a file and commits everything; gives the commit. */
  readonly commit: (file: string, text: string) => string;
}

/** A Git repository with definitions under `access/`, committed. */
export function accessRepository(): AccessRepository {
  const temporary = temporaryFolder();
  const checkout = path.join(temporary.path, 'checkout');
  mkdirSync(checkout);
  cpSync(team, path.join(checkout, 'access'), { recursive: true });
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
  const git = (...args: string[]) =>
    execFileSync('git', [...identity, ...args], { cwd: checkout, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  git('init', '--quiet', '--initial-branch=main');
  const commit = (file: string, text: string) => {
    writeFileSync(path.join(checkout, file), text);
    git('add', '--all');
    git('commit', '--quiet', '--message=change');
    return git('rev-parse', 'HEAD').trim();
  };
  commit('README.md', 'access\n');
  return {
    path: checkout,
    folder: temporary.path,
    git,
    commit,
    [Symbol.dispose]: () => {
      temporary[Symbol.dispose]();
    },
  };
}
