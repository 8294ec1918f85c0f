import { type Command, Option } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';

/** `rolecall init`. */
export function addInit(program: Command, run: Run): void {
  addCommand(
    program,
    'init',
    'write a starter repository: definitions, pipelines, editor settings',
    'rolecall init\nrolecall init access-repository --ci gitlab',
  )
    .argument('[folder]', 'where', '.')
    .addOption(new Option('--ci <forge>', 'whose pipelines').choices(['github', 'gitlab', 'none']).default('github'))
    .addOption(formatOption('text', 'json'))
    .action(run(lazily(() => import('./init.ts'), 'startRepository')));
}
