import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';
import { addPersonOptions } from '../../options/connection-options.ts';

/** `rolecall access`. */
export function addAccess(program: Command, run: Run): void {
  const command = addCommand(
    program,
    'access',
    'show what you reach yourself, until when and through what',
    'rolecall access --url https://rolecall.example.com',
  ).addOption(formatOption('text', 'json'));
  addPersonOptions(command).action(run(lazily(() => import('./access.ts'), 'access')));
}
