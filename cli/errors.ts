import type { Palette } from '@rolecall/reconcile';

/** A mistake in how the command line is used or in what it is given; the message says what to do. */
export class CliError extends Error {
  override name = 'CliError';
  readonly code: string;
  /** What JSON output says besides. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  /** The message for people, where it is more than one text: safe to print, and painted. */
  render?(palette: Palette): string;
}

export interface DescribedError {
  code: string;
  message: string;
  details: Readonly<Record<string, unknown>>;
  /** The message for people, safe to print and painted; undefined where it is `message`. */
  render?: (palette: Palette) => string | undefined;
}

/** Words any error for people: one message that says what is wrong, without a stack. */
export function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error)) return unexpected(String(error));
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (error instanceof CliError)
    return {
      code: error.code,
      message: error.message,
      details: error.details,
      render: (palette) => error.render?.(palette),
    };
  const system = describeSystemError(error);
  if (system !== undefined) return { code: code ?? 'ERR_SYSTEM', message: system, details: {} };
  // Rolecall's own errors have such codes and say what to do.
  if (code !== undefined && isOurs(error)) return { code, message: messageOf(error), details: {} };
  return unexpected(error.message);
}

/** The client names its own settings, and the command line has one option for them. */
function messageOf(error: Error): string {
  const isSilence = error.name === 'TimeoutError' && 'phase' in error && error.phase !== 'connect';
  return isSilence ? `${error.message} (--timeout)` : error.message;
}

function unexpected(message: string): DescribedError {
  return {
    code: 'ERR_UNEXPECTED',
    message: `${message} (this was not foreseen; --debug shows where it happened)`,
    details: {},
  };
}

/** Errors of Rolecall name themselves; those of Node and of libraries keep the names of the language. */
function isOurs({ name }: Error): boolean {
  return !['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'AssertionError'].includes(name);
}

const systemReasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it exists already and is something else',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EMFILE: 'too many files are open',
  ELOOP: 'its links go round in a circle',
};

/** Why something of the system failed, in words; its code where there are none. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'for an unknown reason';
  return systemReasons[code] ?? code;
}

function describeSystemError({ code = '', syscall, path }: NodeJS.ErrnoException): string | undefined {
  const reason = systemReasons[code];
  if (reason === undefined || syscall === undefined) return undefined;
  return path === undefined ? `${syscall} failed: ${reason}` : `${path}: ${reason}`;
}

/** Ctrl-C or SIGTERM ended the command. */
export class InterruptedError extends CliError {
  override name = 'InterruptedError';

  constructor(message = 'interrupted; nothing was written') {
    super('ERR_INTERRUPTED', message);
  }
}
