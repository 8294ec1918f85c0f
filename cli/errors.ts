import type * as api from '@rolecall/api';
import type { Palette, SavedPlanError } from '@rolecall/reconcile';
import type * as server from '@rolecall/server';
import { type ErrorCode, isErrorCode } from './error-codes.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

/** An error that the command line reports; the message names the cause and the remedy. */
export class CliError extends Error {
  override name = 'CliError';
  readonly code: ErrorCode;
  /** Code with which the command ends. */
  readonly exitCode: ExitCode = exitCodes.error;
  /** Further fields of the error in JSON. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  /** The message for people, coloured and safe to print; undefined where it is the same as `message`. */
  render?(palette: Palette): string;
}

export interface DescribedError {
  code: ErrorCode;
  message: string;
  details: Readonly<Record<string, unknown>>;
  render?: (palette: Palette) => string | undefined;
}

/** Describes any error for people, without a stack. */
export function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error)) return unexpected(String(error));
  if (error instanceof CliError)
    return {
      code: error.code,
      message: error.message,
      details: error.details,
      render: (palette) => error.render?.(palette),
    };
  const system = describeSystemError(error);
  if (system !== undefined) return system;
  if ('code' in error && isErrorCode(error.code)) return { code: error.code, message: messageOf(error), details: {} };
  return unexpected(error.message);
}

/** The code of a failed step, for JSON. */
export function codeOf(error: Error): ErrorCode {
  return 'code' in error && isErrorCode(error.code) ? error.code : 'ERR_UNEXPECTED';
}

/**
 * The errors of other parts that users see as they are. A class whose code is not registered does not compile here;
 * at run time it would be reported as ERR_UNEXPECTED.
 */
type Registered<Code extends ErrorCode> = Code;
export type PassedOnCode = Registered<
  | api.AbortedError['code']
  | api.ClosedError['code']
  | api.IdTokenError['code']
  | api.InvalidRequestError['code']
  | api.NetworkError['code']
  | api.OptionsError['code']
  | api.ProblemError['code']
  | api.RedirectError['code']
  | api.TimeoutError['code']
  | SavedPlanError['code']
  | server.BackupError['code']
  | server.CheckpointError['code']
  | server.KeyError['code']
  | server.MailOptionsError['code']
  | server.RestoreError['code']
  | server.SeedError['code']
  | server.StoreKeyError['code']
  | server.StoreLocationError['code']
  | server.StoreLockedError['code']
  | server.StoreUnavailableError['code']
  | server.StoreUrlError['code']
  | server.StoreVersionError['code']
  | server.TlsError['code']
>;

/** The client's message names the client's settings; the command line has one option for them. */
function messageOf(error: Error): string {
  const isSilence = error.name === 'TimeoutError' && 'phase' in error && error.phase !== 'connect';
  return isSilence ? `${error.message} (--timeout)` : error.message;
}

function unexpected(message: string): DescribedError {
  return {
    code: 'ERR_UNEXPECTED',
    message: `${message} (unexpected; --debug shows where it happened)`,
    details: {},
  };
}

const systemReasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'something else with this name exists',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EMFILE: 'too many files are open',
  ELOOP: 'its symbolic links form a circle',
  ENAMETOOLONG: 'the path is too long',
};

/** Why a system call failed, in words; the code of the error where it has no words here. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'for an unknown reason';
  return systemReasons[code] ?? code;
}

function describeSystemError({ code = '', syscall, path }: NodeJS.ErrnoException): DescribedError | undefined {
  const reason = systemReasons[code];
  if (reason === undefined || syscall === undefined) return undefined;
  const message = path === undefined ? `${syscall} failed: ${reason}` : `${path}: ${reason}`;
  return { code: 'ERR_SYSTEM', message, details: { reason: code } };
}

/** Ctrl-C or SIGTERM ended the command. */
export class InterruptedError extends CliError {
  override name = 'InterruptedError';
  override readonly exitCode = exitCodes.interrupted;

  constructor(message = 'interrupted; nothing was written') {
    super('ERR_INTERRUPTED', message);
  }
}

/** The person's access to the data source is over; the message says since when and why. */
export class AccessEndedError extends CliError {
  override name = 'AccessEndedError';
  override readonly exitCode = exitCodes.accessEnded;

  constructor(reason: string) {
    super('ERR_ACCESS_ENDED', reason);
  }
}
