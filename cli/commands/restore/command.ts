import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';
import { folderOption } from '../../options/store-options.ts';

/** `rolecall restore`. */
export function addRestore(program: Command, run: Run): void {
  const example =
    'rolecall restore rolecall-2026-11-21.backup --data ./rolecall-data --key-file ./kept-apart/store.key';
  addCommand(program, 'restore', 'restore a backup into an empty folder', example)
    .argument('<file>', 'a file that rolecall backup wrote')
    .addOption(folderOption())
    .option('--key-file <file>', 'the key of the store (default: ROLECALL_STORE_KEY, or store.key in the folder)')
    .addOption(formatOption('text', 'json'))
    .action(run(lazily(() => import('./restore.ts'), 'restore')));
}
