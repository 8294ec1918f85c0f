import { OptionsError, parseBaseUrl, type Timeouts } from '@rolecall/api';
import { type DefinitionOf, parseDuration } from '@rolecall/crds';
import { definitionLabel } from '../definitions/problems.ts';
import { CliError } from '../errors.ts';
import { optionValue } from '../options/option-value.ts';
import { type Environment, variable } from '../process/io.ts';
import { findCaFile } from './authorities.ts';
import type { CredentialFlags, FoundCredentials, FoundKey } from './credentials.ts';
import type { FoundToken } from './id-token.ts';

type Workspace = DefinitionOf<'Workspace'>;

export interface WorkspaceFlags extends CredentialFlags {
  /** The name of the Workspace, where several are declared. */
  workspace?: string;
  url?: string;
  caFile?: string;
  /** Time that the service may be silent, as in 30s. */
  timeout?: string;
}

/** Credential of a command: a key, or a token that it exchanges for a key. */
export type Identity = FoundKey | (FoundToken & { readonly audience: string });

/** Address of a workspace and the options to reach it. */
export interface Connection {
  url: string;
  caFile?: string;
  timeouts?: Partial<Timeouts>;
  identity: Identity;
  /** The setting that each part comes from, for messages: `ROLECALL_URL`. */
  sources: { url: string; caFile?: string };
}

/** Address of a workspace, and the setting that has it. */
export interface Address {
  url: string;
  source: '--url' | 'ROLECALL_URL' | 'the Workspace';
}

/** An address in the form in which two are compared. */
export function addressOf(url: string): string {
  return new URL(url).href.replace(/\/+$/, '');
}

/**
 * Finds the address of the workspace.
 *
 * @throws CliError where it is missing, malformed, or `--workspace` and ROLECALL_URL name two. A malformed address is not
 *   repeated, since it may contain a password
 */
export function findAddress(flags: WorkspaceFlags, env: Environment, workspace: Workspace | undefined): Address {
  const named = namedAddress(flags, env, workspace);
  if (named === undefined) {
    throw new CliError(
      'ERR_NO_URL',
      'the URL of the workspace is missing: set ROLECALL_URL, give --url, or declare url in a Workspace',
    );
  }
  // A URL parser ignores white space at the ends, but appending a path to it would not.
  const address = { ...named, url: named.url.trim() };
  failIfUnusable(address);
  if (flags.workspace !== undefined) failIfElsewhere(address, flags.workspace, workspace?.spec.url);
  return address;
}

function failIfUnusable({ url, source }: Address): void {
  try {
    parseBaseUrl(url);
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    throw new CliError('ERR_URL', `${source} cannot be used: ${error.message}`);
  }
}

/** A forgotten variable must not apply the definitions of one workspace to another. */
function failIfElsewhere({ url, source }: Address, name: string, declared: string | undefined): void {
  if (source !== 'ROLECALL_URL' || declared === undefined) return;
  const [wanted, given] = [addressOf(declared), addressOf(url)];
  if (given === wanted) return;
  throw new CliError(
    'ERR_TWO_ADDRESSES',
    `--workspace ${name} leads to ${wanted}, and ROLECALL_URL to ${given}; no request was sent. Unset ROLECALL_URL, or give --url ${given} if you mean that one`,
  );
}

function namedAddress(flags: WorkspaceFlags, env: Environment, workspace: Workspace | undefined): Address | undefined {
  if (flags.url !== undefined) return { url: flags.url, source: '--url' };
  const fromVariable = variable(env, 'ROLECALL_URL');
  if (fromVariable !== undefined) return { url: fromVariable, source: 'ROLECALL_URL' };
  const declared = workspace?.spec.url;
  return declared === undefined ? undefined : { url: declared, source: 'the Workspace' };
}

/**
 * Finds the workspace: flags before the environment before the Workspace definition.
 *
 * @param credentials whose issues have been reported as problems of definitions
 * @throws CliError that names the missing setting and every way to give it
 */
export function findWorkspace(
  flags: WorkspaceFlags,
  env: Environment,
  workspace: Workspace | undefined,
  credentials: FoundCredentials,
): Connection {
  const { url, source } = findAddress(flags, env, workspace);
  if ('fault' in credentials) throw credentials.fault;
  if ('issues' in credentials) throw new CliError('ERR_NO_CREDENTIALS', 'no API key is available');
  const caFile = findCaFile(flags, env, workspace);
  const { timeout } = flags;
  const caSource =
    flags.caFile === caFile ? '--ca-file' : variable(env, 'ROLECALL_CA_FILE') ? 'ROLECALL_CA_FILE' : 'caFile';
  return {
    url,
    ...(caFile === undefined ? {} : { caFile }),
    ...(timeout === undefined ? {} : { timeouts: silenceOf(timeout) }),
    identity: credentials.by === 'key' ? credentials : { ...credentials, audience: credentials.audience ?? url },
    sources: {
      url: source === 'the Workspace' && workspace !== undefined ? `url of ${definitionLabel(workspace)}` : source,
      caFile: caSource,
    },
  };
}

/** The time-outs of a service that may be silent for so long, as in 30s. */
export function silenceOf(timeout: string): Partial<Timeouts> {
  const ms = optionValue('--timeout', timeout, parseDuration, 'write it as in --timeout 30s') * 1000;
  // A whole answer may take ten times as long as one pause in it, as with the defaults.
  return { headersMs: ms, bodyMs: ms, answerMs: ms * 10 };
}
