import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';
import { addServiceOptions } from '../../options/connection-options.ts';

const load = () => import('./sessions.ts');

/** `rolecall sessions`. */
export function addSessions(program: Command, run: Run): void {
  const sessions = program
    .command('sessions')
    .summary('see who is signed in, and end sessions')
    .description('Sessions of people. Works on a running service, with an API key of the scope admin.');
  const list = addCommand(
    sessions,
    'list',
    'show who is signed in, the newest session first',
    'rolecall sessions list --person ada',
  )
    .option('--person <name>', 'of one person, by username or identifier')
    .option('--gateway', 'the open connections through the gateway instead')
    .addOption(formatOption('text', 'json'));
  addServiceOptions(list).action(run(lazily(load, 'list')));
  const end = addCommand(
    sessions,
    'end [id]',
    'end a session, or all of a person',
    'rolecall sessions end --person ada',
  )
    .option('--person <name>', 'all sessions of this person, by username or identifier')
    .option('--gateway', 'connections through the gateway instead')
    .addOption(formatOption('text', 'json'));
  addServiceOptions(end).action(run(lazily(load, 'end')));
}
