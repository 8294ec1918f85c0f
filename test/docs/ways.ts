import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
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
  start: (block: string, prints: RegExp) => Promise<Started>;
  /** Starts blocks whose last command asks for a terminal. */
  startInTerminal: (blocks: string[], prints: RegExp) => Promise<Started>;
  /** Kept apart from the user's own. */
  readonly folder: string;
}

/** What runs in another terminal. */
export type Started = Pick<StartedProgram, 'prints' | 'type'>;

class StartedProgram {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #printing = new EventEmitter();
  #printed = '';

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#printed += text;
        this.#printing.emit('more');
      });
    }
    child.once('exit', () => this.#printing.emit('more'));
  }

  /** Waits until it has printed something. @returns the match */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.#printed);
      if (match !== null) return match;
      if (this.#child.exitCode !== null) throw new Error(`it printed no ${String(pattern)}:\n${this.#printed}`);
      await once(this.#printing, 'more');
    }
  }

  type(text: string): void {
    this.#child.stdin.write(text);
  }
}

/** The page that leads in by three ways, and has most of the blocks. */
const firstSteps = 'docs/first-steps.md';

/** The block after `<!-- try: NAME -->`. */
export function blockOf(name: string, page = firstSteps): string {
  const [, after] = readFileSync(path.join(root, page), 'utf8').split(`<!-- try: ${name} -->\n`);
  assert.ok(after?.startsWith('```') === true, `${page} has no block ${name}`);
  const [fence] = fencesOf({ name, text: after });
  return fence?.text ?? '';
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
 * @param page whose blocks they are
 * @param changes what stands in other words in the blocks, by what the page has
 */
export async function startTrial({
  terraform = 'terraform',
  home,
  page = firstSteps,
  changes = {},
}: {
  terraform?: string;
  home?: string;
  page?: string;
  changes?: Readonly<Record<string, string>>;
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
    Object.entries(changes)
      .reduce((text, [before, after]) => text.replaceAll(before, after), blockOf(name, page))
      .replace(/^npm ci\n/m, '')
      .replaceAll('$PWD/trial', folder.path)
      .replaceAll('trial/', `${folder.path}/`)
      .replaceAll('8480', String(port))
      .replaceAll(/^terraform /gm, `${terraform} `)
      .replace('-- serve ', `-- serve --port ${port} `);
  const stops: (() => Promise<void>)[] = [];
  const start = async (program: string, args: string[], prints: RegExp): Promise<Started> => {
    // A group of its own, as in a terminal: Ctrl-C reaches npm and what it started.
    const child = spawn(program, args, { cwd: root, env, detached: true });
    const ended = once(child, 'exit');
    stops.push(async () => {
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
      child.stdin.end();
      await ended;
    });
    const started = new StartedProgram(child);
    await started.prints(prints);
    return started;
  };
  return {
    folder: folder.path,
    run: async (...names) => {
      const script = names.map(here).join('');
      const options = { cwd: root, env, timeout: 8 * 60_000 };
      const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options);
      return stdout;
    },
    start: (name, prints) => start('bash', ['-c', here(name)], prints),
    startInTerminal: (names, prints) => {
      const file = path.join(folder.path, 'terminal.sh');
      writeFileSync(file, names.map(here).join(''));
      return start('script', ['--quiet', '--flush', '--command', `bash ${file}`, '/dev/null'], prints);
    },
    [Symbol.asyncDispose]: async () => {
      for (const stop of stops.toReversed()) await stop();
      folder[Symbol.dispose]();
    },
  };
}
