import type { Command } from 'commander';
import { addCommand, type Context, formatOption, type Run } from '../../command.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { addPlanOptions, parseConcurrency, verboseOption } from '../../options/plan-options.ts';
import type { ApplyOptions } from './apply.ts';

/** `rolecall apply`. */
export function addApply(program: Command, run: Run): void {
  const command = addCommand(
    program,
    'apply',
    'make the workspace match: plan, ask, and run the plan',
    'rolecall apply access/\nrolecall apply access/ --yes\nrolecall apply plan.json --yes',
  )
    .argument('<path...>', 'files and folders, - is standard input; or one file that plan --out has written')
    .addOption(verboseOption())
    .addOption(formatOption('text', 'json'))
    .option('-y, --yes', 'do not ask for confirmation; required without a terminal')
    .option('--concurrency <number>', 'how many calls run side by side at most (default: 8)', parseConcurrency);
  addPlanOptions(command).action(run(apply));
}

/** Plans, asks and converges. */
async function apply(context: Context, paths: string[], options: ApplyOptions): Promise<ExitCode> {
  const { applyPaths } = await import('./apply.ts');
  return applyPaths(context, paths, options);
}
