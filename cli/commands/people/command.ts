import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';
import { addServiceOptions } from '../../options/connection-options.ts';

/** `rolecall people`. */
export function addPeople(program: Command, run: Run): void {
  const people = program
    .command('people')
    .summary('invite people to sign in')
    .description('Invite people to sign in. Works on a running service, with an API key of the scope admin.');
  const example =
    'rolecall people invite ada --url https://workspace.example.com\nrolecall people invite --all --link --format csv > links.csv';
  const command = addCommand(
    people,
    'invite [person]',
    'make a link by which a person sets up how they sign in; it works once, for 24 hours',
    example,
  )
    .option('--all', 'everyone who has no way to sign in yet')
    .option('--link', 'print the links, although the service could mail them')
    .addOption(formatOption('text', 'csv', 'json'));
  addServiceOptions(command).action(run(lazily(() => import('./people.ts'), 'invite')));
}
