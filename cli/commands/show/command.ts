import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';
import { commentLimitOption, verboseOption } from '../../options/plan-options.ts';

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
    .action(run(lazily(() => import('./show.ts'), 'showSavedPlan')));
}
