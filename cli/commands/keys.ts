import { type Command, Option } from 'commander';
import type { CreateKeyOptions, KeysOptions } from '../api-keys.ts';
import { addCommand, type Context, formatOption, type Run } from '../command.ts';
import type { ExitCode } from '../exit-codes.ts';
import { databaseUrlOption, folderOption } from './store-options.ts';

/** `rolecall keys`. */
export function addKeys(program: Command, run: Run): void {
  const keys = program
    .command('keys')
    .summary('make, list, revoke and rotate API keys')
    .description('API keys of the workspace service, whether or not it is running.');
  addCreate(keys, run);
  addCommand(keys, 'list', 'show the keys, without their secrets', 'rolecall keys list --data ./rolecall-data')
    .addOption(folderOption())
    .addOption(databaseUrlOption())
    .addOption(formatOption('text', 'json'))
    .action(
      run(async (context: Context, options: KeysOptions): Promise<ExitCode> => (await load()).list(context, options)),
    );
  addCommand(keys, 'revoke', 'make a key invalid, for good', 'rolecall keys revoke k3Jf9sWqL0aZ --data ./rolecall-data')
    .argument('<id>', 'as keys list shows it')
    .addOption(folderOption())
    .addOption(databaseUrlOption())
    .addOption(formatOption('text', 'json'))
    .action(
      run(
        async (context: Context, id: string, options: KeysOptions): Promise<ExitCode> =>
          (await load()).revoke(context, id, options),
      ),
    );
  addCommand(
    keys,
    'rotate',
    'give a key a new secret; the old one is invalid',
    'rolecall keys rotate k3Jf9sWqL0aZ --data ./rolecall-data',
  )
    .argument('<id>', 'as keys list shows it')
    .addOption(folderOption())
    .addOption(databaseUrlOption())
    .addOption(formatOption('text', 'json'))
    .action(
      run(
        async (context: Context, id: string, options: KeysOptions): Promise<ExitCode> =>
          (await load()).rotate(context, id, options),
      ),
    );
}

function addCreate(keys: Command, run: Run): void {
  const example =
    'rolecall keys create --data ./rolecall-data --scope write --expires 90d\nrolecall keys create --data ./rolecall-data --scope admin --format json > key.json';
  addCommand(keys, 'create', 'make a key; its secret is shown this once', example)
    .addOption(folderOption())
    .addOption(databaseUrlOption())
    .addOption(
      new Option('--scope <scope>', 'what it may do; plan and apply of data sources with passwords need admin')
        .choices(['read', 'write', 'admin'])
        .makeOptionMandatory(),
    )
    .option(
      '--expires <when>',
      'after a duration such as 90d, or at a time such as 2027-03-31T00:00:00Z (default: never)',
    )
    .addOption(formatOption('text', 'json'))
    .action(
      run(
        async (context: Context, options: CreateKeyOptions): Promise<ExitCode> =>
          (await load()).create(context, options),
      ),
    );
}

function load() {
  return import('../api-keys.ts');
}
