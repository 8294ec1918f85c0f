import type { Command } from 'commander';
import { addCommand, type CommonOptions, type Context, formatOption, type Run } from '../../command.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { databaseUrlOption, folderOption, type StoreOptions } from '../../options/store-options.ts';

interface SeedOptions extends CommonOptions, StoreOptions {}

/** `rolecall seed`. */
export function addSeed(program: Command, run: Run): void {
  addCommand(
    program,
    'seed',
    'put editors with tabs into the bundled store, for demonstrations and tests',
    'rolecall seed editors.yaml --data ./rolecall-data',
  )
    .argument('<file>', 'a YAML list of person (username), dataSource (alias) and tabs with title and text')
    .addOption(folderOption())
    .addOption(databaseUrlOption())
    .addOption(formatOption('text', 'json'))
    .action(run(seed));
}

async function seed(context: Context, file: string, options: SeedOptions): Promise<ExitCode> {
  const { seedFile } = await import('./seed.ts');
  return seedFile(context, file, options);
}
