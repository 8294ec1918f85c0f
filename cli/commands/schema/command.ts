import type { Command } from 'commander';
import { addCommand, type Context, formatOption, type Run } from '../../command.ts';
import type { ExitCode } from '../../exit-codes.ts';
import type { SchemaOptions } from './schema.ts';

/** `rolecall schema`. */
export function addSchema(program: Command, run: Run): void {
  addCommand(
    program,
    'schema',
    'print the JSON Schema of the kinds, for editors, or of plans',
    'rolecall schema --out rolecall.schema.json\nrolecall schema --kind Permission',
  )
    .option('--kind <kind>', 'of one kind only')
    .option('--plan', 'of what plan --format json prints, instead')
    .option('-o, --out <file>', 'write to a file')
    .addOption(formatOption('text', 'json'))
    .action(run(schema));
}

async function schema(context: Context, options: SchemaOptions): Promise<ExitCode> {
  const { printSchema } = await import('./schema.ts');
  return printSchema(context, options);
}
