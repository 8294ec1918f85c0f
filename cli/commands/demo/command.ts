import type { Command } from 'commander';
import { addCommand, lazily, type Run } from '../../command.ts';

/** `rolecall demo`. */
export function addDemo(program: Command, run: Run): void {
  addCommand(
    program,
    'demo',
    'play plan, apply, drift and repair on the example, in a temporary folder',
    'rolecall demo\nrolecall demo --open',
  )
    .option('--open', 'then print an address that signs you in to the page, as a person of the example')
    .action(run(lazily(() => import('./demo.ts'), 'runDemo')));
}
