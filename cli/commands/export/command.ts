import type { Command } from 'commander';
import { addCommand, type Context, formatOption, type Run } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { addLiveOptions } from '../../options/live-options.ts';
import type { ExportFlags } from './export.ts';

/** `rolecall export`. */
export function addExport(program: Command, run: Run): void {
  const command = addCommand(
    program,
    'export',
    'write the workspace down as definitions; plan of them is empty',
    'rolecall export --out access/\nrolecall plan access/',
  )
    .requiredOption('-o, --out <folder>', 'where to write; new, or without definitions')
    .option('--force', 'replace files of the same name')
    .option('--leave-passwords', 'declare no passwords: those in the workspace stay as they are')
    .addOption(formatOption('text', 'json'));
  addLiveOptions(command).action(run(exportAll));
}

async function exportAll(context: Context, paths: string[], options: ExportFlags): Promise<ExitCode> {
  const { exportWorkspace } = await import('./export.ts');
  await exportWorkspace(context, paths, options);
  return exitCodes.ok;
}
