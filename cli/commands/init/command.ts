import { type Command, Option } from 'commander';
import { addCommand, type Context, formatOption, type Run } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import type { StartOptions } from './init.ts';

/** `rolecall init`. */
export function addInit(program: Command, run: Run): void {
  addCommand(
    program,
    'init',
    'write a repository to begin with: definitions, pipelines, editor settings',
    'rolecall init\nrolecall init access-repository --ci gitlab',
  )
    .argument('[folder]', 'where', '.')
    .addOption(new Option('--ci <forge>', 'whose pipelines').choices(['github', 'gitlab', 'none']).default('github'))
    .addOption(formatOption('text', 'json'))
    .action(run(init));
}

async function init(context: Context, folder: string, options: StartOptions): Promise<ExitCode> {
  const { startRepository } = await import('./init.ts');
  startRepository(context, folder, options);
  return exitCodes.ok;
}
