import { type Command, Option } from 'commander';
import { addCommand, formatOption, gather, lazily, type Run } from '../../command.ts';
import { addPersonOptions, addTokenOptions } from '../../options/connection-options.ts';
import { databaseUrlOption, folderOption } from '../../options/store-options.ts';

const defaultLifetime = '90d';

const of = (verb: string) => `rolecall keys ${verb} --data ./rolecall-data`;

/** `rolecall keys`. */
export function addKeys(program: Command, run: Run): void {
  const keys = program
    .command('keys')
    .summary('make, list, revoke and rotate API keys')
    .description('API keys of the workspace service, whether or not it is running.');
  addCreate(keys, run);
  addExchange(keys, run);
  addVerb(keys, 'list', 'show the keys, without their secrets', of('list')).action(run(lazily(load, 'list')));
  addVerb(keys, 'revoke', 'make a key invalid, for good', of('revoke k3Jf9sWqL0aZ'))
    .argument('<id>', 'as keys list shows it')
    .action(run(lazily(load, 'revoke')));
  addVerb(keys, 'rotate', 'give a key a new secret; the old one is invalid', of('rotate k3Jf9sWqL0aZ'))
    .argument('<id>', 'as keys list shows it')
    .action(run(lazily(load, 'rotate')));
}

function addCreate(keys: Command, run: Run): void {
  const example = `${of('create')} --name ci --scope write --expires 30d\n${of('create')} --scope admin --data-source billing --format json > key.json`;
  addVerb(keys, 'create', 'make a key; its secret is shown only once', example)
    .addOption(
      new Option(
        '--scope <scope>',
        'what it may do; a plan needs read, an apply write, and reading passwords or running queries admin',
      )
        .choices(['read', 'write', 'admin'])
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'what to call it, for keys list and the audit trail')
    .option(
      '--data-source <alias>',
      'limit it to a data source, by alias or id; may be repeated (default: all, and people, roles and snippets)',
      gather,
    )
    .option(
      '--expires <when>',
      'after a duration such as 30d, at a time such as 2027-03-31T00:00:00Z, or never',
      defaultLifetime,
    )
    .action(run(lazily(load, 'create')));
}

/** Works on a service from afar, where the others work on its store. */
function addExchange(keys: Command, run: Run): void {
  const example =
    'rolecall keys exchange --url https://workspace.example.com\neval "$(rolecall keys exchange --url https://workspace.example.com)"';
  const command = addCommand(
    keys,
    'exchange',
    "exchange the pipeline's own token for a key that lasts minutes",
    example,
  );
  addTokenOptions(addPersonOptions(command))
    .addOption(formatOption('text', 'json'))
    .action(run(lazily(() => import('./exchange.ts'), 'exchange')));
}

/** A command with the options that all of them have. */
function addVerb(keys: Command, verb: string, summary: string, example: string): Command {
  return addCommand(keys, verb, summary, example)
    .addOption(folderOption())
    .addOption(databaseUrlOption())
    .addOption(formatOption('text', 'json'));
}

const load = () => import('./keys.ts');
