import type { Command } from 'commander';
import type { BackupOptions } from '../backing-up.ts';
import { addCommand, type Context, formatOption, type Run } from '../command.ts';
import type { ExitCode } from '../exit-codes.ts';
import { dataOption } from './data-option.ts';

/** `rolecall backup`. */
export function addBackup(program: Command, run: Run): void {
  const example = 'rolecall backup --data ./rolecall-data --out rolecall-2026-11-21.backup';
  addCommand(program, 'backup', 'copy the store into one file, while the service runs', example)
    .addOption(dataOption())
    .requiredOption('--out <file>', 'the file to make; one that exists is not overwritten')
    .addOption(formatOption('text', 'json'))
    .action(
      run(async (context: Context, options: BackupOptions): Promise<ExitCode> => {
        const { backUp } = await import('../backing-up.ts');
        return backUp(context, options);
      }),
    );
}
