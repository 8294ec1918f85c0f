import type { Command } from 'commander';
import { addCommand, type CommonOptions, type Context, formatOption, type Run } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { PlanFlags } from '../planning.ts';
import { addPlanOptions } from './plan-options.ts';

interface PlanOptions extends CommonOptions, PlanFlags {
  detailedExitcode?: true;
}

/** `rolecall plan`. */
export function addPlan(program: Command, run: Run): void {
  const command = addCommand(
    program,
    'plan',
    'show what would change in the workspace; nothing is written',
    'rolecall plan access/\nrolecall plan access/ --detailed-exitcode --format json > plan.json',
  )
    .argument('<path...>', 'files and folders; - is standard input')
    .addOption(formatOption('text', 'markdown', 'json'))
    .option('--detailed-exitcode', 'end with 2 when changes are pending');
  addPlanOptions(command).action(run(plan));
}

/** Makes and prints a plan. A plan that is refused is an error. */
async function plan(context: Context, paths: string[], options: PlanOptions): Promise<ExitCode> {
  const { showPlan } = await import('../plan-showing.ts');
  const { steps } = await showPlan(context, paths, options);
  const isPending = steps.length > 0;
  return isPending && options.detailedExitcode === true ? exitCodes.pending : exitCodes.ok;
}
