import type { Command } from 'commander';
import { addCommand, type CommonOptions, type Context, formatOption, type Run } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { addPlanOptions, commentLimitOption } from '../../options/plan-options.ts';
import type { ShowFlags } from './plan.ts';

interface PlanOptions extends CommonOptions, ShowFlags {
  detailedExitcode?: true;
}

/** `rolecall plan`. */
export function addPlan(program: Command, run: Run): void {
  const command = addCommand(
    program,
    'plan',
    'show what would change in the workspace; nothing is written',
    'rolecall plan access/\nrolecall plan access/ --out plan.json --format markdown > comment.md',
  )
    .argument('<path...>', 'files and folders; - is standard input')
    .addOption(formatOption('text', 'markdown', 'json'))
    .addOption(commentLimitOption())
    .option('--out <file>', 'save the plan, to be applied as it is by: rolecall apply <file>')
    .option('--detailed-exitcode', 'end with 2 when changes are pending');
  addPlanOptions(command).action(run(plan));
}

/** Makes and prints a plan. A plan that is refused is an error. */
async function plan(context: Context, paths: string[], options: PlanOptions): Promise<ExitCode> {
  const { showPlan } = await import('./plan.ts');
  const { steps } = await showPlan(context, paths, options);
  const isPending = steps.length > 0;
  return isPending && options.detailedExitcode === true ? exitCodes.pending : exitCodes.ok;
}
