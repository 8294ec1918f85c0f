/** Exit codes of the command line, which pipelines branch on. */
export const exitCodes = {
  /** Nothing to do, or done. */
  ok: 0,
  /** Something is wrong; the message says what. */
  error: 1,
  /** `plan --detailed-exitcode`: changes are pending. */
  pending: 2,
  /** `plan --detailed-exitcode --undeclared`: nothing is pending, and something is in the workspace that is not declared. */
  undeclared: 3,
  /** `query`: the person's access to the data source ended, or had ended before. */
  accessEnded: 4,
  /** Ended by Ctrl-C or SIGTERM. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
