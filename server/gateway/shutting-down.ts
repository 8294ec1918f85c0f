import { FatalError } from '../protocols/fatal-error.ts';

/** Makes the error that clients get when the gateway of this process stops. */
export function shuttingDown(): FatalError {
  return new FatalError('57P01', 'the gateway is shutting down: connect again');
}
