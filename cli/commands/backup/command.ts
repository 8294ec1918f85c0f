import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';
import { folderOption } from '../../options/store-options.ts';

/** `rolecall backup`. */
export function addBackup(program: Command, run: Run): void {
  const example = 'rolecall backup --data ./rolecall-data --out rolecall-2026-11-21.backup';
  addCommand(program, 'backup', 'copy the store into one file, while the service runs', example)
    .addOption(folderOption())
    .requiredOption('-o, --out <file>', 'the file to write; an existing file is not overwritten')
    .addOption(formatOption('text', 'json'))
    .action(run(lazily(() => import('./backup.ts'), 'backUp')));
}
