import type { Command } from 'commander';
import { addCommand, type Context, formatOption, type Run } from '../../command.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { folderOption } from '../../options/store-options.ts';
import type { BackupOptions } from './backup.ts';

/** `rolecall backup`. */
export function addBackup(program: Command, run: Run): void {
  const example = 'rolecall backup --data ./rolecall-data --out rolecall-2026-11-21.backup';
  addCommand(program, 'backup', 'copy the store into one file, while the service runs', example)
    .addOption(folderOption())
    .requiredOption('-o, --out <file>', 'the file to write; an existing file is not overwritten')
    .addOption(formatOption('text', 'json'))
    .action(
      run(async (context: Context, options: BackupOptions): Promise<ExitCode> => {
        const { backUp } = await import('./backup.ts');
        return backUp(context, options);
      }),
    );
}
