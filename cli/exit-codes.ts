/** What the command line ends with, which pipelines branch on. */
export const exitCodes = {
  /** Nothing to do, or done. */
  ok: 0,
  /** Something is wrong; the message says what. */
  error: 1,
  /** `plan --detailed-exitcode`: changes are pending. */
  pending: 2,
  /** Ended by Ctrl-C or SIGTERM. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
