import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';
import { addPlanOptions, commentLimitOption, quietOption, verboseOption } from '../../options/plan-options.ts';

/** `rolecall plan`. */
export function addPlan(program: Command, run: Run): void {
  const command = addCommand(
    program,
    'plan',
    'show what would change in the workspace; nothing is written',
    'rolecall plan access/\nrolecall plan access/ --out plan.json --format markdown > comment.md',
  )
    .argument('<path...>', 'files and folders; - is standard input')
    .addOption(verboseOption())
    .addOption(quietOption())
    .addOption(formatOption('text', 'markdown', 'json'))
    .addOption(commentLimitOption())
    .option('-o, --out <file>', 'save the plan, to be applied as it is by: rolecall apply <file>')
    .option('--undeclared', 'list what is in the workspace and not declared; reads all of the workspace')
    .option(
      '--detailed-exitcode',
      'end with 2 when changes are pending; with --undeclared, with 3 when only something undeclared is there',
    );
  addPlanOptions(command).action(run(lazily(() => import('./plan.ts'), 'planPaths')));
}
