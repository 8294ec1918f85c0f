import type { Command } from 'commander';
import { addCommand, type CommonOptions, type Context, formatOption, type Run } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { addPlanOptions, commentLimitOption, verboseOption } from '../../options/plan-options.ts';
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
    .addOption(verboseOption())
    .addOption(formatOption('text', 'markdown', 'json'))
    .addOption(commentLimitOption())
    .option('-o, --out <file>', 'save the plan, to be applied as it is by: rolecall apply <file>')
    .option('--undeclared', 'list what is in the workspace and not declared; reads all of the workspace')
    .option(
      '--detailed-exitcode',
      'end with 2 when changes are pending; with --undeclared, with 3 when only something undeclared is there',
    );
  addPlanOptions(command).action(run(plan));
}

/** Makes and prints a plan. A plan that is refused is an error. */
async function plan(context: Context, paths: string[], options: PlanOptions): Promise<ExitCode> {
  const { showPlan } = await import('./plan.ts');
  const { steps, undeclared } = await showPlan(context, paths, options);
  if (options.detailedExitcode !== true) return exitCodes.ok;
  if (steps.length > 0) return exitCodes.pending;
  const isLeft = options.undeclared === true && Object.values(undeclared ?? {}).some(({ count }) => count > 0);
  return isLeft ? exitCodes.undeclared : exitCodes.ok;
}
