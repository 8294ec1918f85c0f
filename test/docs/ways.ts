import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';
import { freePort } from '../support/free-port.ts';
import { fencesOf, root } from './markdown.ts';

/** What a person who follows the page has: a terminal, and what runs in the others. */
export interface Trial extends AsyncDisposable {
  /** Runs a block of the page to its end. @returns what it printed */
  run: (...blocks: string[]) => Promise<string>;
  /** Starts a block that runs until Ctrl-C, and waits until it prints something. */
  start: (block: string, prints: RegExp) => Promise<void>;
  /** Kept apart from the user's own. */
  readonly folder: string;
}

const page = readFileSync(path.join(root, 'docs/first-steps.md'), 'utf8');

/** The commands of the block after `<!-- try: NAME -->`. */
export function blockOf(name: string): string {
  const [, after] = page.split(`<!-- try: ${name} -->\n`);
  assert.ok(after !== undefined, `docs/first-steps.md has no block ${name}`);
  const [fence] = fencesOf({ name, text: after });
  assert.ok(fence !== undefined && after.startsWith('```sh\n'), `no commands follow the mark of ${name}`);
  return fence.text;
}

/** How many commands these blocks ask for. */
export function countCommands(...names: string[]): number {
  return names.flatMap((name) => blockOf(name).trim().split('\n')).length;
}

/**
 * Runs blocks as they stand, but in a folder of its own, on a port that is free, and without installing again.
 *
 * @param terraform which one to run instead of that on the path
 * @param home a home folder of its own, by its name
 */
export async function startTrial({
  terraform = 'terraform',
  home,
}: {
  terraform?: string;
  home?: string;
} = {}): Promise<Trial> {
  const folder = temporaryFolder();
  const port = await freePort();
  const env = {
    ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(ROLECALL_|TF_|KUBECONFIG|NODE_)/.test(name)),
    ),
    ...(home === undefined ? {} : { HOME: path.join(folder.path, home) }),
  };
  const here = (name: string): string =>
    blockOf(name)
      .replace(/^npm ci\n/m, '')
      .replaceAll('$PWD/trial', folder.path)
      .replaceAll('trial/', `${folder.path}/`)
      .replaceAll('8480', String(port))
      .replaceAll(/^terraform /gm, `${terraform} `)
      .replace('-- serve ', `-- serve --port ${port} `);
  const stops: (() => Promise<void>)[] = [];
  return {
    folder: folder.path,
    run: async (...names) => {
      const script = names.map(here).join('');
      const options = { cwd: root, env, timeout: 8 * 60_000 };
      const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options);
      return stdout;
    },
    start: async (name, prints) => {
      // A group of its own, as in a terminal: Ctrl-C reaches npm and what it started.
      const child = spawn('bash', ['-c', here(name)], { cwd: root, env, detached: true });
      const ended = once(child, 'exit');
      stops.push(async () => {
        if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
        await ended;
      });
      await new Promise<void>((resolve, reject) => {
        let printed = '';
        const look = (text: string): void => {
          printed += text;
          if (prints.test(printed)) resolve();
        };
        child.stdout.setEncoding('utf8').on('data', look);
        child.stderr.setEncoding('utf8').on('data', look);
        child.once('exit', () => {
          reject(new Error(`${name} ended:\n${printed}`));
        });
      });
    },
    [Symbol.asyncDispose]: async () => {
      for (const stop of stops.toReversed()) await stop();
      folder[Symbol.dispose]();
    },
  };
}
