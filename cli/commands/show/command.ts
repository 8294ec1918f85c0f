import type { Command } from 'commander';
import { addCommand, type Context, formatOption, type Run } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { commentLimitOption, type LimitFlags, verboseOption } from '../../options/plan-options.ts';

/** `rolecall show`. */
export function addShow(program: Command, run: Run): void {
  addCommand(
    program,
    'show',
    'print a saved plan; nothing is called',
    'rolecall show plan.json\nrolecall show plan.json --format markdown > comment.md',
  )
    .argument('<plan>', 'a file that plan --out has written')
    .addOption(verboseOption())
    .addOption(formatOption('text', 'markdown', 'json'))
    .addOption(commentLimitOption())
    .action(run(show));
}

/** Prints what was reviewed: a plan that was edited, or is signed with another key, is an error. */
async function show(context: Context, file: string, flags: LimitFlags): Promise<ExitCode> {
  const { showSavedPlan } = await import('./show.ts');
  showSavedPlan(context, file, flags);
  return exitCodes.ok;
}
