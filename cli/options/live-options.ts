import type { Command } from 'commander';
import { addConnectionOptions } from './connection-options.ts';

/** The argument and options of commands that read the current state of a workspace. */
export function addLiveOptions(command: Command): Command {
  return addConnectionOptions(
    command.argument(
      '[path...]',
      'definitions whose Workspace says where the workspace is; nothing else of them is used',
    ),
  );
}
