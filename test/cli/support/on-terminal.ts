import { execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { commandLine } from '../../support/command-line.ts';
import { root } from './run-command.ts';

/** Why no command can be run on a terminal here; false when one can. */
export const noTerminal: string | false = findPython() ? false : 'python3 is not installed (apt-get install python3)';

function findPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import pty'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs a command on a terminal of its own, 100 columns wide.
 *
 * @param answers a text to wait for, what to type then, and how many seconds after
 * @param onShown told of all that was shown so far, whenever there is more
 * @returns everything that the terminal showed, escape sequences included, and the exit code
 */
export function runOnTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  answers: readonly (readonly [string, string, number?])[] = [],
  onShown: (shown: string) => void = () => undefined,
): Promise<{ code: number | null; shown: string }> {
  const script = path.join(import.meta.dirname, 'terminal.py');
  const command = [...commandLine, ...args];
  const child = spawn('python3', [script, JSON.stringify(answers), ...command], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TERM: 'xterm-256color', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    onShown(shown);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, shown: shown.replaceAll('\r\n', '\n') });
    });
  });
}
