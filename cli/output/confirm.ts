import { createInterface } from 'node:readline';
import type { Io } from '../process/io.ts';

/**
 * Asks a question on a terminal.
 *
 * @param signal ends the waiting, as if the answer had been no
 * @returns whether the answer is exactly `yes`; the end of the input is a no
 */
export function confirm(question: string, { stdin, stdout }: Io, signal: AbortSignal): Promise<boolean> {
  // Not as a terminal: readline would take Ctrl-C for itself, which the command's own handler has to see.
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
