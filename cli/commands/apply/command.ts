import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';
import { addPlanOptions, parseConcurrency, quietOption } from '../../options/plan-options.ts';

/** `rolecall apply`. */
export function addApply(program: Command, run: Run): void {
  const command = addCommand(
    program,
    'apply',
    'make the workspace match: plan, ask, and run the plan',
    'rolecall apply access/\nrolecall apply access/ --yes\nrolecall apply plan.json --yes',
  )
    .argument('<path...>', 'files and folders, - is standard input; or one file that plan --out has written')
    .option('-v, --verbose', 'list every object, even where many are alike, and every call as it ends')
    .addOption(quietOption())
    .addOption(formatOption('text', 'json'))
    .option('-y, --yes', 'do not ask for confirmation; required without a terminal')
    .option(
      '--lease-timeout <duration>',
      'how long to wait while another run changes the workspace; 0 does not wait (default: 10m)',
    )
    .option('--concurrency <number>', 'how many calls run side by side at most (default: 8)', parseConcurrency);
  addPlanOptions(command).action(run(lazily(() => import('./apply.ts'), 'applyPaths')));
}
