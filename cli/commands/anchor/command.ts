import type { Command } from 'commander';
import { addCommand, type Context, formatOption, type Run } from '../../command.ts';
import type { ExitCode } from '../../exit-codes.ts';
import type { AnchorOptions } from './anchor.ts';

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
    .action(run(anchor));
}

async function anchor(context: Context, paths: string[], options: AnchorOptions): Promise<ExitCode> {
  const { anchorPaths } = await import('./anchor.ts');
  return anchorPaths(context, paths, options);
}
