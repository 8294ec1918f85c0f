import type { Log } from '@rolecall/operator';
import { printableJson, visibleLines } from '@rolecall/reconcile';
import type { Format } from '../../output/output.ts';
import type { Io } from '../../process/io.ts';

/**
 * The log of a process that runs for months: each line says when. Text goes to standard output and warnings to standard error;
 * with JSON all of it goes there, a document a line, since standard output has the one document of the command.
 */
export function createLog({ stdout, stderr }: Pick<Io, 'stdout' | 'stderr'>, format: Format, now: () => number): Log {
  return (level, message, about) => {
    const time = new Date(now()).toISOString();
    if (format === 'json') {
      const entry = { time, message, ...about };
      const line = level === 'warn' ? { warning: { code: 'operator', ...entry } } : { info: entry };
      stderr.write(`${printableJson(line, 0)}\n`);
    } else if (level === 'warn') stderr.write(`${time} warning: ${visibleLines(message)}\n`);
    else stdout.write(`${time} ${visibleLines(message)}\n`);
  };
}
