import type { Command } from 'commander';
import { addCommand, formatOption, lazily, type Run } from '../../command.ts';
import { addLiveOptions } from '../../options/live-options.ts';

/** `rolecall doctor`. */
export function addDoctor(program: Command, run: Run): void {
  const command = addCommand(
    program,
    'doctor',
    'find out why a workspace cannot be reached: URL, key, scope, version, certificate, clock; changes nothing',
    'rolecall doctor\nrolecall doctor access/ --format json',
  ).addOption(formatOption('text', 'json'));
  addLiveOptions(command).action(run(lazily(() => import('./doctor.ts'), 'diagnose')));
}
