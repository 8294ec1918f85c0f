import type { Command } from 'commander';
import { addCommand, type Context, type Run } from '../../command.ts';
import type { ExitCode } from '../../exit-codes.ts';

/** `rolecall demo`. */
export function addDemo(program: Command, run: Run): void {
  addCommand(
    program,
    'demo',
    'show the whole of it on the example, in a temporary folder: plan, apply, drift, repair',
    'rolecall demo',
  ).action(run(demo));
}

async function demo({ io }: Context): Promise<ExitCode> {
  const { runDemo } = await import('./demo.ts');
  return runDemo(io);
}
