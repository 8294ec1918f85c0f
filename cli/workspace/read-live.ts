import type { Client } from '@rolecall/api';
import { type Definition, type DefinitionOf, hasErrors, loadDefinitions } from '@rolecall/crds';
import { createView, type View } from '@rolecall/reconcile';
import type { Context } from '../command.ts';
import { failIfInvalid } from '../definitions/problems.ts';
import { showReading } from '../output/progress.ts';
import { type Interrupts, orInterrupted, watchInterrupts } from '../process/interrupts.ts';
import { chooseWorkspace } from './choose-workspace.ts';
import { type Connection, findWorkspace, type WorkspaceFlags } from './connection.ts';
import { findCredentials } from './credentials.ts';
import { openClient } from './open-client.ts';

/** Definitions that the command was given; it reads the workspace, and may explain it by them. */
interface Declared {
  readonly definitions: readonly Definition[];
  readonly workspace: DefinitionOf<'Workspace'> | undefined;
}

/**
 * Reads the workspace as it is, without comparing it with definitions.
 *
 * @param paths definitions with the Workspace to read; without any, flags and the environment say where it is
 * @throws CliError for flags, environment and definitions, before anything is called; the client's errors
 */
export async function readLive<T>(
  context: Context,
  paths: readonly string[],
  flags: WorkspaceFlags,
  read: (view: View, connection: Connection, declared: Declared, client: Client) => Promise<T>,
): Promise<T> {
  const { connection, ...declared } = await findConnection(context, paths, flags);
  return withClient(context, connection, (client) =>
    read(createView(client, { isWhole: true }), connection, declared, client),
  );
}

/** Works with a client, which is closed afterwards; shows how many calls it took. @throws the client's errors */
async function withClient<T>(
  context: Context,
  connection: Connection,
  work: (client: Client, interrupts: Interrupts) => Promise<T>,
): Promise<T> {
  using interrupts = watchInterrupts(context);
  const { abandon } = interrupts;
  using reading = showReading(context);
  await using client = openClient(connection, undefined, abandon, context, { onCall: reading.count });
  return await orInterrupted(work(client, interrupts), abandon);
}

/**
 * The same for a command that takes no definitions: flags and the environment say where the service is. A command that writes calls
 * `protectWrites` first.
 */
export function withService<T>(
  context: Context,
  flags: WorkspaceFlags,
  work: (client: Client, interrupts: Interrupts) => Promise<T>,
): Promise<T> {
  return withClient(context, findService(context, flags), work);
}

function findService({ io }: Context, flags: WorkspaceFlags): Connection {
  return findWorkspace(flags, io.env, undefined, findCredentials(flags, io.env, undefined));
}

async function findConnection(
  context: Context,
  paths: readonly string[],
  flags: WorkspaceFlags,
): Promise<Declared & { connection: Connection }> {
  const { io, output } = context;
  if (paths.length === 0) return { connection: findService(context, flags), definitions: [], workspace: undefined };
  const loaded = await loadDefinitions(paths, { stdin: io.stdin });
  if (hasErrors(loaded.problems)) failIfInvalid(loaded, [], output);
  const workspace = chooseWorkspace(loaded.definitions, flags.workspace);
  const credentials = findCredentials(flags, io.env, workspace);
  failIfInvalid(loaded, 'issues' in credentials ? credentials.issues : [], output);
  const connection = findWorkspace(flags, io.env, workspace, credentials);
  return { connection, definitions: loaded.definitions, workspace };
}
