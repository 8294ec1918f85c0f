import { type CrossIssue, type DefinitionOf, unreadable } from '@rolecall/crds';
import { type Environment, variable } from '../process/io.ts';

/** A file of certificate authorities, by flag, environment or definition: the first that says it. */
export function findCaFile(
  flags: { caFile?: string },
  env: Environment,
  workspace: DefinitionOf<'Workspace'> | undefined,
): string | undefined {
  return flags.caFile ?? variable(env, 'ROLECALL_CA_FILE') ?? workspace?.spec.caFile;
}

/** The issue of a Workspace whose CA file cannot be read, unless a flag or the environment names another. */
export function caFileIssues(
  flags: { caFile?: string },
  env: Environment,
  workspace: DefinitionOf<'Workspace'> | undefined,
): CrossIssue[] {
  const file = findCaFile(flags, env, workspace);
  if (workspace === undefined || file === undefined || file !== workspace.spec.caFile) return [];
  const fault = unreadable(file);
  if (fault === undefined) return [];
  return [
    {
      severity: 'error',
      code: 'text_file',
      path: ['spec', 'caFile'],
      at: 'value',
      message: `names ${file}, which ${fault}`,
      remedy: 'Correct the path, which is relative to the folder of the definition, or the file; or give --ca-file.',
      source: workspace.source,
    },
  ];
}
