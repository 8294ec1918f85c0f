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
  addPlanOptions(command).action(run(planPaths));
}

/** Makes and prints a plan. A plan that is refused is an error. */
export async function planPaths(context: Context, paths: string[], options: PlanOptions): Promise<ExitCode> {
  const { loadValid } = await import('../definitions.ts');
  const { preparePlan } = await import('../planning.ts');
  const { watchInterrupts } = await import('../interrupts.ts');
  const { orderedPlan } = await import('@rolecall/reconcile');
  const { failIfRefused, printPlan } = await import('../plan-printing.ts');
  const { definitions } = await loadValid(paths, context);
  using interrupts = watchInterrupts(context.io);
  const { plan, client } = await preparePlan(definitions, options, context, interrupts);
  await client.close();
  printPlan(plan, context.output);
  context.output.document(orderedPlan(plan));
  failIfRefused(plan);
  const isPending = plan.steps.length > 0;
  return isPending && options.detailedExitcode === true ? exitCodes.pending : exitCodes.ok;
}
