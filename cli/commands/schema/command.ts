import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';

/** `rolecall schema`. */
export function addSchema(program: Command, run: Run): void {
  addCommand(
    program,
    'schema',
    'print the JSON Schema of the kinds, for editors, or of plans',
    'rolecall schema --out rolecall.schema.json\nrolecall schema --kind Permission',
  )
    .option('--kind <kind>', 'the schema of one kind only')
    .option('--plan', 'the schema of what plan --format json prints, instead')
    .option('-o, --out <file>', 'write to a file')
    .addOption(formatOption('text', 'json'))
    .action(run(lazily(() => import('./schema.ts'), 'printSchema')));
}
