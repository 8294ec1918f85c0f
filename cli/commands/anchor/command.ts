import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';

/** `rolecall anchor`. */
export function addAnchor(program: Command, run: Run): void {
  addCommand(
    program,
    'anchor',
    'write the start into permissions that have a duration and no start',
    'rolecall anchor access/incident.yaml\nrolecall anchor --check access/\nrolecall anchor - <incident.yaml >anchored.yaml',
  )
    .argument('<path...>', 'files and folders; - is standard input, whose text goes to standard output')
    .option('--starts-at <time>', 'when access begins, such as 2026-12-01T09:00Z (default: now)')
    .option('--check', 'write nothing: show the difference, and end with 2 when there is one')
    .addOption(formatOption('text', 'json'))
    .action(run(lazily(() => import('./anchor.ts'), 'anchorPaths')));
}
