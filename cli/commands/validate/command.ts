import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';

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
    .action(run(lazily(() => import('./validate.ts'), 'validate')));
}
