import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';
import { addLiveOptions } from '../../options/live-options.ts';

/** `rolecall export`. */
export function addExport(program: Command, run: Run): void {
  const command = addCommand(
    program,
    'export',
    'write the workspace as definitions; a plan of them shows no change',
    'rolecall export --out access/\nrolecall plan access/',
  )
    .requiredOption('-o, --out <folder>', 'where to write; new, or without definitions')
    .option('--force', 'replace files of the same name')
    .option('--leave-passwords', 'declare no passwords: those in the workspace stay as they are')
    .addOption(formatOption('text', 'json'));
  addLiveOptions(command).action(run(lazily(() => import('./export.ts'), 'exportWorkspace')));
}
