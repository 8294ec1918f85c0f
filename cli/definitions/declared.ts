import { type DefinitionOf, type Loaded, loadDefinitions } from '@rolecall/crds';
import { type DesiredState, desiredState, type Surroundings } from '@rolecall/reconcile';
import type { Context } from '../command.ts';
import { resolveSecrets } from '../secrets/declared-secrets.ts';
import { caFileIssues } from '../workspace/authorities.ts';
import { chooseWorkspace } from '../workspace/choose-workspace.ts';
import { type Connection, findWorkspace, type WorkspaceFlags } from '../workspace/connection.ts';
import { findCredentials } from '../workspace/credentials.ts';
import { findOrigin, type Origin } from './origin.ts';
import { failIfInvalid, notOnCommandLine } from './problems.ts';

/** Declarations of the definitions for one workspace, and the means to reach it. */
export interface Declared {
  /** Absent where none is declared. */
  workspace: DefinitionOf<'Workspace'> | undefined;
  state: DesiredState;
  /** Origin of the definitions. */
  origin: Origin;
  resolveSecret: Surroundings['resolveSecret'];
  connection: Connection;
}

/**
 * Loads the definitions of one workspace, with the secrets that they name. Nothing is called: whatever is wrong with
 * the definitions, their secrets or the flags is found before that, all problems of the definitions at once.
 *
 * @throws InvalidDefinitionsError, and CliError for the flags and the environment
 */
export async function loadDeclared(
  paths: readonly string[],
  flags: WorkspaceFlags,
  { io, output }: Context,
): Promise<Declared> {
  const loaded = await loadDefinitions(paths, { stdin: io.stdin });
  const workspace = chooseAmong(loaded, flags.workspace, output);
  const { state, errors } = desiredState(loaded.definitions, workspace, loaded.references);
  const dataSources = loaded.definitions
    .filter((definition) => definition.kind === 'DataSource')
    // The secrets of other workspaces are none of this run's business, and may well not be at hand.
    .filter((definition) => loaded.references.workspaceOf(definition) === workspace);
  const secrets = resolveSecrets(dataSources, io.env);
  const credentials = findCredentials(flags, io.env, workspace);
  const unanchored = errors.map((error) => notOnCommandLine(error, 'error'));
  const authorities = caFileIssues(flags, io.env, workspace);
  const issues = [
    ...unanchored,
    ...secrets.issues,
    ...('issues' in credentials ? credentials.issues : []),
    ...authorities,
  ];
  failIfInvalid(loaded, issues, output);
  const connection = findWorkspace(flags, io.env, workspace, credentials);
  return { workspace, state, origin: findOrigin(paths, io.env), resolveSecret: secrets.resolve, connection };
}

function chooseAmong(loaded: Loaded, name: string | undefined, output: Context['output']): Declared['workspace'] {
  try {
    return chooseWorkspace(loaded.definitions, name);
  } catch (error) {
    // The Workspace asked for may be among the invalid definitions.
    failIfInvalid(loaded, [], output);
    throw error;
  }
}
