import { execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { commandLine } from '../../support/command-line.ts';
import { CapturedOutput, root, runInProcess } from './run-command.ts';

/**
 * Runs a command in the process of the test, on streams that say they are a terminal. For keys that the terminal itself turns into
 * a signal or an end of input, use `runOnRealTerminal`.
 *
 * @returns everything that the command wrote, escape sequences included, and the exit code
 */
export async function runOnTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  answers: readonly (readonly [awaited: string, typed: string])[] = [],
): Promise<{ code: number; shown: string }> {
  const open = [...answers];
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const terminal = Object.assign(new CapturedOutput(), { isTTY: true, columns: 100 });
  terminal.on('text', () => {
    if (open[0] === undefined || !terminal.text.includes(open[0][0])) return;
    const [, typed] = open.shift() ?? [];
    // As on a terminal, no answer comes within the call that writes the question.
    setImmediate(() => stdin.write(typed));
  });
  const code = await runInProcess(args, env, { stdin, stdout: terminal, stderr: terminal });
  return { code, shown: terminal.text };
}

/** Why no command can be run on a real terminal here; false when one can. */
export const noTerminal: string | false = findPython() ? false : 'needs Python 3: apt-get install python3';

function findPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import pty'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs a command as a process, on a terminal of its own, 100 columns wide.
 *
 * @param onShown told of all that was shown so far, whenever there is more
 * @returns everything that the terminal showed, escape sequences included, and the exit code
 */
export function runOnRealTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  answers: readonly (readonly [awaited: string, typed: string, secondsLater?: number])[] = [],
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
