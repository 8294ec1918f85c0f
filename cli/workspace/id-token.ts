/** The token of a platform that takes the place of an API key. */

import { findIdToken, givenIdToken, type IdTokenSource } from '@rolecall/api';
import { CliError } from '../errors.ts';
import { type Environment, variable } from '../process/io.ts';

export interface TokenFlags {
  idTokenFile?: string;
  idTokenAudience?: string;
}

/** Location of a token, and the audience that it must have: undefined for the address of the workspace. */
export interface FoundToken {
  readonly by: 'token';
  readonly source: IdTokenSource;
  readonly audience: string | undefined;
}

const audienceOf = (flags: TokenFlags, env: Environment): string | undefined =>
  flags.idTokenAudience ?? variable(env, 'ROLECALL_ID_TOKEN_AUDIENCE');

/** The flag that chooses a token, if any does. */
export function tokenFlag({ idTokenFile, idTokenAudience }: TokenFlags): string | undefined {
  if (idTokenFile !== undefined) return '--id-token-file';
  return idTokenAudience === undefined ? undefined : '--id-token-audience';
}

/** The variable that chooses a token, if any does: those of GitHub alone, which every program of a job has, choose nothing. */
export function tokenVariable(env: Environment): string | undefined {
  const given = givenIdToken(env);
  if (given?.from === 'value' || given?.from === 'file') return given.name;
  return variable(env, 'ROLECALL_ID_TOKEN_AUDIENCE') === undefined ? undefined : 'ROLECALL_ID_TOKEN_AUDIENCE';
}

/** Finds the token: the flag before the environment, and the runner of GitHub last; undefined where there is none. */
export function findToken(flags: TokenFlags, env: Environment): FoundToken | undefined {
  const { idTokenFile: file } = flags;
  const source: IdTokenSource | undefined =
    file === undefined ? findIdToken(env) : { from: 'file', name: '--id-token-file', file };
  return source === undefined ? undefined : { by: 'token', source, audience: audienceOf(flags, env) };
}

export const noToken = (): CliError =>
  new CliError(
    'ERR_ID_TOKEN',
    'there is no token to exchange: on GitHub, give the job "permissions: id-token: write"; on GitLab, declare ROLECALL_ID_TOKEN under id_tokens; elsewhere, set ROLECALL_ID_TOKEN or ROLECALL_ID_TOKEN_FILE, or give --id-token-file',
  );

/** Names the source of a token, for messages: `ROLECALL_ID_TOKEN`. */
export const sourceName = (source: IdTokenSource): string => (source.from === 'github' ? 'GitHub' : source.name);
