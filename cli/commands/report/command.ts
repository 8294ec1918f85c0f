import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';
import { addLiveOptions } from '../../options/live-options.ts';

/** `rolecall report`. */
export function addReport(program: Command, run: Run): void {
  const report = program
    .command('report')
    .summary('who reaches what, and what ends soon')
    .description('Reports of a workspace as it is.');
  addAccess(report, run);
  addExpiring(report, run);
}

function addAccess(report: Command, run: Run): void {
  const example =
    'rolecall report access\nrolecall report access --person ada --at 2026-12-24T12:00:00Z\nrolecall report access --format html --out access.html';
  const command = addCommand(report, 'access', 'who reaches what, through what, from when until when', example)
    .option('--at <time>', 'the moment to report, as in 2026-12-01T09:00:00Z (default: now)')
    .option('--person <username>', 'what this person reaches')
    .option('--data-source <alias>', 'who reaches this data source')
    .option('--role <name>', 'what this role gives')
    .option('--all', 'also past and future access, and access that a lock prevents')
    .option('-o, --out <file>', 'write a file instead of standard output')
    .addOption(formatOption('text', 'csv', 'json', 'html'));
  addLiveOptions(command).action(run(lazily(() => import('./report.ts'), 'reportAccess')));
}

function addExpiring(report: Command, run: Run): void {
  const example = 'rolecall report expiring --within 7d || { test $? = 2 && notify; }';
  const command = addCommand(
    report,
    'expiring',
    'whose access ends within a window; ends with 2 when any does',
    example,
  )
    .option('--within <duration>', 'how long the window is, as in 12h, 7d or 2w', '7d')
    .option('--at <time>', 'where the window begins (default: now)')
    .option('-o, --out <file>', 'write a file instead of standard output')
    .addOption(formatOption('text', 'csv', 'json'));
  addLiveOptions(command).action(run(lazily(() => import('./report.ts'), 'reportExpiring')));
}
