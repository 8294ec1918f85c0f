import type { Context } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { failIfInTheWay, writeFiles } from '../../files/write-files.ts';
import type { WorkspaceFlags } from '../../workspace/connection.ts';
import { readLive } from '../../workspace/read-live.ts';
import { type Composition, composeDefinitions } from './compose.ts';
import { readSnapshot } from './snapshot.ts';
import { tellOfExport } from './tell.ts';

export interface ExportFlags extends WorkspaceFlags {
  /** The folder. */
  out: string;
  force?: true;
  leavePasswords?: true;
}

/**
 * Exports the workspace as definitions, all files or none.
 *
 * @param paths definitions; only their Workspace is used
 * @throws CliError for flags, environment and existing files; the client's errors
 */
export async function exportWorkspace(
  context: Context,
  paths: readonly string[],
  flags: ExportFlags,
): Promise<ExitCode> {
  const { out: folder, force = false, leavePasswords = false } = flags;
  if (!force) failIfInTheWay(folder);
  const composition = await readLive(
    context,
    paths,
    flags,
    async (view, { url }): Promise<Composition> =>
      composeDefinitions(await readSnapshot(view), { url, now: new Date(), leavePasswords }),
  );
  const others = writeFiles(folder, composition.files, force);
  tellOfExport(context.output, folder, composition, others);
  return exitCodes.ok;
}
