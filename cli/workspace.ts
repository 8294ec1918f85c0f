import type { DefinitionOf } from '@rolecall/crds';
import { type CredentialFlags, type Credentials, findCredentials } from './credentials.ts';
import { CliError } from './errors.ts';
import { type Environment, variable } from './io.ts';

export interface WorkspaceFlags extends CredentialFlags {
  url?: string;
}

/** Where a workspace is and how it is reached. */
export interface Connection extends Credentials {
  url: string;
  caFile?: string;
}

/**
 * Finds the workspace: flags before the environment before the Workspace definition.
 *
 * @throws CliError that names the missing piece and every way to give it
 */
export function findWorkspace(
  flags: WorkspaceFlags,
  env: Environment,
  workspace: DefinitionOf<'Workspace'> | undefined,
): Connection {
  const url = flags.url ?? variable(env, 'ROLECALL_URL') ?? workspace?.spec.url;
  if (url === undefined) {
    throw new CliError(
      'ERR_NO_URL',
      'where the workspace is, is not given: set ROLECALL_URL, give --url, or declare url in a Workspace',
    );
  }
  const caFile = workspace?.spec.caFile;
  return { url, ...(caFile === undefined ? {} : { caFile }), ...findCredentials(flags, env, workspace) };
}
