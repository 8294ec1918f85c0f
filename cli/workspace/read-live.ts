import { hasErrors, loadDefinitions } from '@rolecall/crds';
import { createView, type View } from '@rolecall/reconcile';
import type { Context } from '../command.ts';
import { failIfInvalid } from '../definitions/problems.ts';
import { InterruptedError } from '../errors.ts';
import { showReading } from '../output/progress.ts';
import { watchInterrupts } from '../process/interrupts.ts';
import { chooseWorkspace } from './choose-workspace.ts';
import { type Connection, findWorkspace, type WorkspaceFlags } from './connection.ts';
import { findCredentials } from './credentials.ts';
import { openClient } from './open-client.ts';

/**
 * Reads the workspace as it is, without comparing it with definitions.
 *
 * @param paths definitions of which only the Workspace is used, to find the way; none: flags and the environment say it
 * @throws CliError for flags, environment and definitions, before anything is called; the client's errors
 */
export async function readLive<T>(
  context: Context,
  paths: readonly string[],
  flags: WorkspaceFlags,
  read: (view: View, connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await findConnection(context, paths, flags);
  using interrupts = watchInterrupts(context);
  const { abandon } = interrupts;
  using reading = showReading(context);
  const client = openClient(connection, undefined, abandon, context, reading.count);
  try {
    return await read(createView(client), connection);
  } catch (error) {
    if (abandon.aborted) throw new InterruptedError();
    throw error;
  } finally {
    await client.close();
  }
}

async function findConnection(
  { io, output }: Context,
  paths: readonly string[],
  flags: WorkspaceFlags,
): Promise<Connection> {
  if (paths.length === 0) return findWorkspace(flags, io.env, undefined, findCredentials(flags, io.env, undefined));
  const loaded = await loadDefinitions(paths, { stdin: io.stdin });
  if (hasErrors(loaded.problems)) failIfInvalid(loaded, [], output);
  const workspace = chooseWorkspace(loaded.definitions, flags.workspace);
  const key = findCredentials(flags, io.env, workspace);
  failIfInvalid(loaded, 'issues' in key ? key.issues : [], output);
  return findWorkspace(flags, io.env, workspace, key);
}
