import type { Command } from 'commander';
import { addCommand, lazily, type Run } from '../../command.ts';

/** `rolecall demo`. */
export function addDemo(program: Command, run: Run): void {
  addCommand(
    program,
    'demo',
    'show the whole of it on the example, in a temporary folder: plan, apply, drift, repair',
    'rolecall demo',
  ).action(run(lazily(() => import('./demo.ts'), 'runDemo')));
}
