import { createInterface } from 'node:readline';
import type { Io } from '../process/io.ts';

/**
 * Asks a question on a terminal.
 *
 * @param signal stops waiting, as if the answer were no
 * @returns whether the answer is exactly `yes`; the end of the input means no
 */
export function confirm(question: string, { stdin, stdout }: Io, signal: AbortSignal): Promise<boolean> {
  // Not as a terminal: readline would consume Ctrl-C, which the command's own handler needs.
  const lines = createInterface({ input: stdin, terminal: false });
  stdout.write(question);
  return new Promise((resolve) => {
    const end = (): void => {
      lines.close();
    };
    lines.once('line', (line) => {
      resolve(line.trim() === 'yes');
      lines.close();
    });
    lines.once('close', () => {
      signal.removeEventListener('abort', end);
      resolve(false);
    });
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}
