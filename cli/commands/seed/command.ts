import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';
import { databaseUrlOption, folderOption } from '../../options/store-options.ts';

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
    .action(run(lazily(() => import('./seed.ts'), 'seedFile')));
}
