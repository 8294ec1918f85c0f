import { RolecallError } from './rolecall-error.ts';

/** An option of the client is wrong; the message names it and the remedy. Nothing was sent. */
export class OptionsError extends RolecallError {
  override name = 'OptionsError';
  override readonly code = 'ERR_ROLECALL_OPTIONS';
}
