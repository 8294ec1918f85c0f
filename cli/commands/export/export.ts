import { listUpTo, visible } from '@rolecall/reconcile';
import type { Context } from '../../command.ts';
import type { WarningCode } from '../../error-codes.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { failIfInTheWay, writeFiles } from '../../files/write-files.ts';
import type { Output } from '../../output/output.ts';
import { formatTable } from '../../output/table.ts';
import { counted, shellWord } from '../../output/words.ts';
import type { WorkspaceFlags } from '../../workspace/connection.ts';
import { readLive } from '../../workspace/read-live.ts';
import { type Composition, composeDefinitions } from './compose.ts';
import { readSnapshot } from './snapshot.ts';

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

/**
 * Reports what was written, what was left out, and what to do next.
 *
 * @param others definitions that were in the folder and are not of this export
 */
function tellOfExport(output: Output, folder: string, composition: Composition, others: readonly string[]): void {
  const { files, counts, variables, leftOut, connectionsDenied } = composition;
  const kinds = [...counts].map(([kind, number]) => `${number} ${kind}`).join(', ');
  const written = `Wrote ${counted(files.size, 'file')} to ${visible(folder)}: ${kinds}.`;
  output.say(output.palette.create(written));
  for (const warning of warningsOf(composition, others)) output.warn(warning.code, warning.message);
  if (variables.length > 0) {
    const rows = variables.map(({ name, dataSource, uri }) => [`  ${name}`, dataSource, uri]);
    output.say(
      `\nSet the passwords before plan and apply:\n\n${formatTable(['  variable', 'data source', 'connection'], rows)}`,
    );
  }
  output.say(`\nNext: rolecall plan ${shellWord(folder)}`);
  output.document({
    folder,
    files: [...files.keys()],
    definitions: Object.fromEntries(counts),
    variables,
    leftOut,
    connectionsDenied,
    otherDefinitions: others,
  });
}

interface Warning {
  code: WarningCode;
  message: string;
}

function warningsOf({ leftOut, connectionsDenied }: Composition, others: readonly string[]): Warning[] {
  const warnings: Warning[] = leftOut.map(({ what, reason, remedy }) => ({
    code: 'left_out',
    message: `left out ${what}: ${reason}; ${remedy}`,
  }));
  if (connectionsDenied) {
    warnings.push({
      code: 'connections_denied',
      message:
        'data sources are referred to by their alias and not declared, because the API key may not read connections: export with a key of scope admin to have them declared',
    });
  }
  if (others.length > 0) {
    warnings.push({
      code: 'other_definitions',
      message: `the folder contains other definitions, which are read together with the exported ones: remove the outdated ones (${listUpTo(5, others)})`,
    });
  }
  return warnings;
}
