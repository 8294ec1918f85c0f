import type { DefinitionOf } from '@rolecall/crds';
import { findCaFile } from './authorities.ts';
import type { CredentialFlags, Credentials, FoundKey } from './credentials.ts';
import { CliError } from './errors.ts';
import { type Environment, variable } from './io.ts';

export interface WorkspaceFlags extends CredentialFlags {
  url?: string;
  caFile?: string;
}

/** Where a workspace is and how it is reached. */
export interface Connection extends Credentials {
  url: string;
  caFile?: string;
}

/**
 * Finds the workspace: flags before the environment before the Workspace definition.
 *
 * @param key whose issues have been reported, as they are problems of definitions
 * @throws CliError that names the missing piece and every way to give it
 */
export function findWorkspace(
  flags: WorkspaceFlags,
  env: Environment,
  workspace: DefinitionOf<'Workspace'> | undefined,
  key: FoundKey,
): Connection {
  const url = flags.url ?? variable(env, 'ROLECALL_URL') ?? workspace?.spec.url;
  if (url === undefined) {
    throw new CliError(
      'ERR_NO_URL',
      'where the workspace is, is not given: set ROLECALL_URL, give --url, or declare url in a Workspace',
    );
  }
  if ('fault' in key) throw key.fault;
  if ('issues' in key) throw new CliError('ERR_NO_CREDENTIALS', 'no API key can be had');
  const caFile = findCaFile(flags, env, workspace);
  return { url, ...(caFile === undefined ? {} : { caFile }), ...key.credentials };
}
