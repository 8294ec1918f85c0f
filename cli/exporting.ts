import type { Context } from './command.ts';
import type { DeclaredFlags } from './declared.ts';
import { type Composition, composeDefinitions } from './export/compose.ts';
import { readSnapshot } from './export/snapshot.ts';
import { tellOfExport } from './export/tell.ts';
import { failIfInTheWay, writeFiles } from './export/write-files.ts';
import { readLive } from './live-workspace.ts';

export interface ExportFlags extends DeclaredFlags {
  /** The folder. */
  out: string;
  force?: true;
  leavePasswords?: true;
}

/**
 * Writes the workspace down as definitions, all files or none.
 *
 * @param paths definitions of which only the Workspace is used, to find the way
 * @throws CliError for flags, environment and files that are in the way; the client's errors
 */
export async function exportWorkspace(context: Context, paths: readonly string[], flags: ExportFlags): Promise<void> {
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
}
