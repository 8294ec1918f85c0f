/** The base of the errors that Rolecall throws on purpose: `code` is stable, the message tells a person what to do. */
export class RolecallError extends Error {
  override name = 'RolecallError';
  readonly code: string = 'ERR_ROLECALL';
}
