import type { Command } from 'commander';
import { addCommand, type Context, formatOption, type Run } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { addLiveOptions } from '../../options/live-options.ts';
import type { WorkspaceFlags } from '../../workspace/connection.ts';

/** `rolecall doctor`. */
export function addDoctor(program: Command, run: Run): void {
  const command = addCommand(
    program,
    'doctor',
    'look why a workspace cannot be reached: URL, key, scope, version, certificate, clock; changes nothing',
    'rolecall doctor\nrolecall doctor access/ --format json',
  ).addOption(formatOption('text', 'json'));
  addLiveOptions(command).action(run(doctor));
}

async function doctor(context: Context, paths: string[], flags: WorkspaceFlags): Promise<ExitCode> {
  const { examine } = await import('./doctor.ts');
  return (await examine(context, paths, flags)) ? exitCodes.ok : exitCodes.error;
}
