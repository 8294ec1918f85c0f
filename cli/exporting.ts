import { createClient } from '@rolecall/api';
import { createView, visible } from '@rolecall/reconcile';
import type { Context } from './command.ts';
import { type Composition, composeDefinitions } from './export/compose.ts';
import { readSnapshot } from './export/snapshot.ts';
import { writeFiles } from './export/write-files.ts';
import { findLive, type LiveFlags } from './live-workspace.ts';
import { formatTable } from './table.ts';
import { counted, shellWord } from './words.ts';

export interface ExportFlags extends LiveFlags {
  out: string;
  force?: true;
  leavePasswords?: true;
}

/**
 * Reads the workspace and writes it down as definitions.
 *
 * @throws CliError, before anything is called where the flags or the folder are wrong; the client's errors
 */
export async function exportWorkspace(context: Context, paths: readonly string[], flags: ExportFlags): Promise<void> {
  const connection = await findLive(paths, flags, context);
  await using client = disposable(createClient(connection));
  const snapshot = await readSnapshot(createView(client.value));
  const composition = composeDefinitions(snapshot, {
    url: connection.url,
    now: new Date(),
    leavePasswords: flags.leavePasswords === true,
  });
  const others = writeFiles(flags.out, composition.files, flags.force === true);
  tell(context, flags, composition, others);
}
