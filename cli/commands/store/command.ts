import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';
import { databaseUrlOption, folderOption } from '../../options/store-options.ts';

/** `rolecall store`. */
export function addStore(program: Command, run: Run): void {
  const store = program
    .command('store')
    .summary("change the key of the service's store")
    .description('The store of the workspace service, whether or not it is running.');
  addCommand(
    store,
    'rekey',
    'change the key that protects passwords, API keys and the audit trail; run it again if it is interrupted',
    'rolecall store rekey --data ./rolecall-data',
  )
    .addOption(folderOption())
    .addOption(databaseUrlOption())
    .addOption(formatOption('text', 'json'))
    .action(run(lazily(() => import('./store.ts'), 'rekey')));
}
