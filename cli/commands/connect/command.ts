import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';
import { addPersonOptions } from '../../options/connection-options.ts';

/** `rolecall connect`. */
export function addConnect(program: Command, run: Run): void {
  const command = addCommand(
    program,
    'connect',
    'open psql, mysql or mariadb on a data source as yourself, or print what another client needs',
    'rolecall connect shop\nrolecall connect shop -- -c "select 1"\nrolecall connect shop --print',
  )
    .argument('<data-source>', 'its alias, name or id')
    .argument('[client...]', 'arguments of the client, after --')
    .option('--for <duration>', 'how long the password opens connections, such as 8h', '1h')
    .option('--print', 'print a connection URI')
    .option('--jdbc', 'print a URL for JDBC')
    .option('--env', 'print the variables that the client reads, as a shell sets them')
    .option('--device', 'to sign in, confirm a code in a browser on another machine')
    .option('--no-login', 'do not sign in: without a session, fail')
    .addOption(formatOption('text', 'json'));
  addPersonOptions(command).action(run(lazily(() => import('./connect.ts'), 'connect')));
}
