import type { Client } from '@rolecall/api';
import type { DesiredObject } from '@rolecall/reconcile';
import type { Context } from '../../command.ts';

/** What the steps of the demonstration play on. */
export interface Stage {
  /** With the environment in which the commands find the workspace. */
  readonly context: Context;
  /** The folder of the example, as it is shown and given to commands. */
  readonly examples: string;
  /** Calls the service directly, past the definitions. */
  readonly client: Client;
  /** What the example declares. */
  readonly objects: readonly DesiredObject[];
  /** Announces the next step. */
  readonly begin: (title: string, command?: string) => void;
}

/** Something did not come out as the demonstration claims. */
export class DemoError extends Error {
  override name = 'DemoError';
  readonly code = 'ERR_DEMO';
}

/** @throws DemoError unless it is so */
export function claim(isSo: boolean, message: string): asserts isSo {
  if (!isSo) throw new DemoError(`the demonstration failed: ${message}`);
}
