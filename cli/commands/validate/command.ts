import type { Command } from 'commander';
import { addCommand, type Context, formatOption, type Run } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';

/** `rolecall validate`. */
export function addValidate(program: Command, run: Run): void {
  addCommand(
    program,
    'validate',
    'check definitions without a workspace: all problems, with file, line and remedy',
    'rolecall validate access/\nkubectl kustomize access/ | rolecall validate -',
  )
    .argument('<path...>', 'files and folders; - is standard input')
    .addOption(formatOption('text', 'json'))
    .action(run((context: Context, paths: string[]) => validate(context, paths)));
}

async function validate({ io, output }: Context, paths: string[]): Promise<ExitCode> {
  const { checkDefinitions, describeCheck } = await import('./validate.ts');
  const { check, excerptOf } = await checkDefinitions(paths, io.stdin);
  if (output.format === 'text') output.say(describeCheck(check, excerptOf, output.palette));
  output.document(check);
  return check.valid ? exitCodes.ok : exitCodes.error;
}
