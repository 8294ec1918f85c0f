import { type Command, Option } from 'commander';
import { addCommand, gather, lazily, type Run } from '../../command.ts';
import { addPersonOptions } from '../../options/connection-options.ts';

/** `rolecall query`. */
export function addQuery(program: Command, run: Run): void {
  const command = addCommand(
    program,
    'query',
    'query a data source as yourself',
    'rolecall query shop "select * from orders limit 10"\nrolecall query shop --file report.sql --format csv > report.csv\nrolecall query shop \'select * from orders where id = $1\' --param 1=42\nrolecall query --history orders',
  )
    .argument('[data-source]', 'its alias, name or id')
    .argument('[sql...]', 'each one statement, run in a single transaction; default: standard input')
    .option('--file <file>', 'a file with one statement, - for standard input; may be repeated', gather)
    .option('--param <name=value>', 'a value for $1, ? or :name in the one statement; may be repeated', gather)
    .option('--history [text]', 'list your latest queries, or those that contain a text')
    .addOption(
      new Option('-f, --format <format>', 'how to print').choices(['table', 'csv', 'json', 'ndjson']).default('table'),
    );
  addPersonOptions(command).action(run(lazily(() => import('./query.ts'), 'query')));
}
