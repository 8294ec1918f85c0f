import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';
import { addPersonOptions } from '../../options/connection-options.ts';

const load = () => import('./login.ts');

/** `rolecall login` and `rolecall logout`. */
export function addLogin(program: Command, run: Run): void {
  const login = addCommand(
    program,
    'login',
    'sign in as yourself, in a browser',
    'rolecall login --url https://rolecall.example.com',
  )
    .option('--device', 'for a machine without a browser: confirm a code in a browser on another one')
    .addOption(formatOption('text', 'json'));
  addPersonOptions(login).action(run(lazily(load, 'login')));
  const logout = addCommand(program, 'logout', 'end the session that "login" has opened', 'rolecall logout').addOption(
    formatOption('text', 'json'),
  );
  addPersonOptions(logout).action(run(lazily(load, 'logout')));
}
