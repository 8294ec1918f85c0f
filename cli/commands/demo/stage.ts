import type { Client } from '@rolecall/api';
import type { DesiredObject } from '@rolecall/reconcile';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';

/** Stage on which the steps of the demonstration play. */
export interface Stage {
  /** With the environment in which the commands find the workspace. */
  readonly context: Context;
  /** The folder of the example, as it is shown and given to commands. */
  readonly examples: string;
  /** Calls the service directly, past the definitions. */
  readonly client: Client;
  /** Objects that the example declares. */
  readonly objects: readonly DesiredObject[];
  /** Announces the next step. */
  readonly begin: (title: string, command?: string) => void;
}

/** @throws CliError unless the demonstration did what it claims */
export function claim(isSo: boolean, message: string): asserts isSo {
  if (!isSo) throw new CliError('ERR_DEMO', `the demonstration failed: ${message}`);
}
